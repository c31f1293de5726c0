"""What people do to selected objects of a draft by hand: pure changes of manifests, and each as one named operation."""

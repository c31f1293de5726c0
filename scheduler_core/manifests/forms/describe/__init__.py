"""What ``kubectl describe`` prints of pods and nodes, as objects."""

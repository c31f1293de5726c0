"""What members send to others: short addresses of cursors, and a decision or a pod's history in a few lines."""

"""What is sent to others: short addresses of cursors, and a decision or a pod's story in a few lines."""

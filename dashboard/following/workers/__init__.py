"""What workers do for followed clusters: pieces folded, overviews computed, the queue of both."""

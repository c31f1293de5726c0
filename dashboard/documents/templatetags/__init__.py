"""Template tags of clusters."""

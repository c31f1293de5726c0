"""Template tags of dashboard.preview."""

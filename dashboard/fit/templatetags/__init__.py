"""Template tags of dashboard.fit."""

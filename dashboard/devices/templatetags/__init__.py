"""Template tags of dashboard.devices."""

"""Node groups: what they are, and where they come from."""

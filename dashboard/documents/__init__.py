"""What configurations and timelines share: texts with a history."""

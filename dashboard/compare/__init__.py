"""Two runs, or one run at two moments, beside each other: what differs, where it began, and both decisions."""

"""What of reviews each member has read, and which of them they mute."""

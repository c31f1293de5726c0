"""The queue as lanes: which pods wait where, for how long, and the markup of their rows."""

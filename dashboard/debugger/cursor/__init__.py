"""The cursor: its address, the state at it, and the positions that can be reached from it."""

"""Template tags of the debugger."""

"""The list of runs and its buttons."""

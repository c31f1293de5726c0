"""The list of runs and what its buttons do."""

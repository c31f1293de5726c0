"""Management commands of runs."""

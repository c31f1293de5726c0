"""What arrived in a run, as the entries of a timeline."""

"""Commands that check or write files without a run."""

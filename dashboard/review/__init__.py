"""Review: reviews, threads and verdicts."""

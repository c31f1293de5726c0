"""Who looks at a run, comparison or review, where, and what they point at: kept in memory, never in the database."""

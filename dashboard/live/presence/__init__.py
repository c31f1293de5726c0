"""Who looks at a run, comparison, review or draft, where, what they point at: in memory, never in the database."""

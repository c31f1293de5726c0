"""A run's data in the database: chunks, rows and metrics; how they are written, read and deleted."""

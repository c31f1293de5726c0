"""What a run leaves in the database: chunks, rows, figures; how they are written, read and deleted."""

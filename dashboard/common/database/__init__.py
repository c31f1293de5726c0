"""The SQLite file, and what people read when the database fails."""

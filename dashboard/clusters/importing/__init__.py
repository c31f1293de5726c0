"""Imports: files uploaded, read, and saved as a revision."""

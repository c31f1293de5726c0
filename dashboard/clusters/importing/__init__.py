"""Imports: files taken in, what reading them gave, and saving them as a revision."""

"""Edits of a timeline that are not saved yet: each kept as what it changes, undone and redone, saved together."""

"""Drafts: edits of a cluster that are not saved yet, kept as operations on a revision, shared, undone, saved."""

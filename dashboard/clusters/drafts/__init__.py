"""Drafts: unsaved edits of a cluster, stored as operations on a revision; they can be shared, undone and saved."""

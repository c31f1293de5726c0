"""Clusters and their revisions: how objects are stored, read, compared, totalled and shown."""

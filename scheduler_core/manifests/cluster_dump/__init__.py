"""Cluster dump: the kubectl command that writes one, and what a dump left out."""

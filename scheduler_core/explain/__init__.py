"""Answers computed from a recording: why pending, why not this node, nearest miss."""

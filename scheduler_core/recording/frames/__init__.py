"""Frames: what plugins said of every node in a cycle, their codec, and the writer of what changed."""

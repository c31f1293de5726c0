"""Extenders in runs: what answers for them, and where a run leaves its tape."""

"""Checking: raw values read with complaints, and the API server's rules for names and keys."""

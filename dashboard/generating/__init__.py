"""Synthetic clusters: a description edited as form and YAML in step, what it comes to, and making it."""

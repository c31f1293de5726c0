"""Branches that comments suggest: what they would change, beside the words."""

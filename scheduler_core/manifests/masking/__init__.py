"""Masking: values that may be secret, and files in which they are replaced."""

"""Parsing: bytes of a source to plain JSON values, from JSON or YAML, and the lines of their fields."""

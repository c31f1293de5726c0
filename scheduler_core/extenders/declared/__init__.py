"""Extenders declared as rules instead of servers, for teaching and tests."""

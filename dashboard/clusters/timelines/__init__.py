"""Timelines: what happens when, as text with a history."""

"""Timelines: what happens at which virtual time, as text with a history."""

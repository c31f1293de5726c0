"""Timelines: the demo scenarios, synthetic clusters, trace readers."""

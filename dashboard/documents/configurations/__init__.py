"""Scheduler configurations and the presets of the core."""

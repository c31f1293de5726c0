"""Runs: runs, cycles, scores and the recordings' storage."""

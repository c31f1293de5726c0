"""Runs: their inputs, state and execution, and the stored recordings."""

"""Rollouts that are unfinished at a cursor of a run: the state of each, its cause, and what lets it go on."""

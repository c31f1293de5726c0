"""Rollouts that have not come to their end at a cursor of a run: how each stands, why, and what lets it go on."""

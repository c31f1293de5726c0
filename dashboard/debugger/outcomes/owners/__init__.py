"""Owners in the outcomes of a run: those without all their pods, rollouts over time, what quotas hold."""

"""Outcomes, a run's first page: its pods by how they ended, and what the cluster was asked for over time."""

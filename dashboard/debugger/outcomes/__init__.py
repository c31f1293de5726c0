"""The outcomes, a run's first page: its pods by how they ended, and what was requested of the cluster over time."""

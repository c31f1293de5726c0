"""Expansion: workload objects, and the pending pods that their controllers would create."""

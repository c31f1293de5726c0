"""Plugins about node resources: NodeResourcesFit and NodeResourcesBalancedAllocation."""

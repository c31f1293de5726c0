"""Search everywhere: what a member types finds pods, nodes, cycles, runs and all else that has a name."""

"""Pages of clusters, imports, configurations and timelines."""

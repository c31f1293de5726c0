"""Synthetic clusters and arrivals from a description: node pools, workloads, arrival processes and one seed."""

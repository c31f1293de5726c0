"""Devices: slices, classes, and what claims and templates ask for and got (resource.k8s.io, v1 and the betas)."""

"""Versions of Kubernetes: what kube-scheduler does in which, as named behaviours, feature gates and default plugins."""

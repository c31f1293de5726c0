"""Pods: specs with the API server's defaults, priority admission, containers and affinity."""

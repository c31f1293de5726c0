"""Logs, health and metrics."""

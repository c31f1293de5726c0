"""The app of dashboard.runs."""

from __future__ import annotations

from importlib import import_module

from django.apps import AppConfig


class RunsConfig(AppConfig):
    """Registers the figures for /metrics, and the look that every worker takes at the runs table."""

    name = "dashboard.runs"
    label = "runs"

    def ready(self) -> None:
        """Import what registers itself."""
        import_module("dashboard.runs.storage.metrics")
        import_module("dashboard.runs.lifecycle.reconcile")

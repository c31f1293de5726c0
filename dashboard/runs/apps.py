"""The app of dashboard.runs."""

from __future__ import annotations

from importlib import import_module

from django.apps import AppConfig

from dashboard.common.registering import Registers


class RunsConfig(Registers, AppConfig):
    """Registers the metrics of runs and starts the reconciler in each worker."""

    name = "dashboard.runs"
    label = "runs"

    def register(self) -> None:
        """Import the modules that register themselves."""
        import_module("dashboard.runs.storage.metrics")
        import_module("dashboard.runs.lifecycle.gauges")
        import_module("dashboard.runs.lifecycle.reconcile")
        from dashboard.runs.lifecycle.other_work import OtherWork, register
        from dashboard.runs.workers import background_tasks

        tasks = background_tasks
        register(OtherWork(tasks.NAME, tasks.waits, tasks.work, tasks.wake))

"""The app of dashboard.upgrade."""

from __future__ import annotations

from django.apps import AppConfig

from dashboard.common.registering import Registers


class UpgradeConfig(Registers, AppConfig):
    """Names the app."""

    name = "dashboard.upgrade"
    label = "upgrade"

    def register(self) -> None:
        """Tell workers what waits beside runs; models are there only now."""
        from dashboard.runs.lifecycle import other_work
        from dashboard.upgrade import computing

        work = other_work.OtherWork(computing.NAME, computing.QUEUE.is_waiting, computing.work, computing.wake)
        other_work.register(work)

"""The app of dashboard.preview."""

from __future__ import annotations

from django.apps import AppConfig

from dashboard.common.registering import Registers


class PreviewConfig(Registers, AppConfig):
    """Names the app."""

    name = "dashboard.preview"
    label = "preview"

    def register(self) -> None:
        """Tell workers what waits beside runs; models are there only now."""
        from dashboard.preview import computing
        from dashboard.runs.lifecycle import other_work

        work = other_work.OtherWork(computing.NAME, computing.QUEUE.is_waiting, computing.work, computing.wake)
        other_work.register(work)

"""The app of dashboard.generating."""

from __future__ import annotations

from django.apps import AppConfig

from dashboard.common.registering import Registers


class GeneratingConfig(Registers, AppConfig):
    """Names the app."""

    name = "dashboard.generating"

    def register(self) -> None:
        """Register the jobs of background workers; models are there only now."""
        from dashboard.generating.jobs import register_jobs

        register_jobs()

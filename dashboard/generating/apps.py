"""The app of dashboard.generating."""

from __future__ import annotations

from django.apps import AppConfig

from dashboard.common.registering import Registers


class GeneratingConfig(Registers, AppConfig):
    """Names the app."""

    name = "dashboard.generating"

    def register(self) -> None:
        """Register the jobs of background workers, and what arrives at clusters; models are there only now."""
        from dashboard.clusters.revisions.page_context import register_arrivals
        from dashboard.documents.timelines.running import arriving_pods
        from dashboard.generating.jobs import register_jobs

        register_jobs()
        register_arrivals(arriving_pods)

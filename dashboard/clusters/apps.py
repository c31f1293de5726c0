"""The app of dashboard.clusters."""

from __future__ import annotations

from django.apps import AppConfig

from dashboard.common.registering import Registers


class ClustersConfig(Registers, AppConfig):
    """Names the app."""

    name = "dashboard.clusters"
    label = "clusters"

    def register(self) -> None:
        """Register how pages open drafts, and the jobs of background workers; models are there only now."""
        from dashboard.clusters.drafts.page import OPENED_DRAFTS
        from dashboard.clusters.importing.jobs import register_jobs
        from dashboard.clusters.revisions.page_context import register_drafts

        register_drafts(OPENED_DRAFTS)
        register_jobs()

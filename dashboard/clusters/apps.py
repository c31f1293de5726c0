"""The app of dashboard.clusters."""

from __future__ import annotations

from django.apps import AppConfig


class ClustersConfig(AppConfig):
    """Names the app."""

    name = "dashboard.clusters"
    label = "clusters"

    def ready(self) -> None:
        """Tell the pages how drafts are opened; models are there only now."""
        from dashboard.clusters.drafts.page import OPENED_DRAFTS
        from dashboard.clusters.revisions.page_context import register_drafts

        register_drafts(OPENED_DRAFTS)

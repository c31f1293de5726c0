"""The app of dashboard.agreement."""

from __future__ import annotations

from django.apps import AppConfig


class AgreementConfig(AppConfig):
    """Names the app."""

    name = "dashboard.agreement"
    label = "agreement"

    def ready(self) -> None:
        """Tell the pages of clusters what their tab counts; models are there only now."""
        from dashboard.agreement.computing import agreeing
        from dashboard.clusters.revisions.page_context import register_agreement

        register_agreement(agreeing)

"""The app of dashboard.clusters."""

from __future__ import annotations

from django.apps import AppConfig


class ClustersConfig(AppConfig):
    """Names the app."""

    name = "dashboard.clusters"
    label = "clusters"

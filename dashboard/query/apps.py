"""The app of dashboard.query."""

from __future__ import annotations

from django.apps import AppConfig


class QueryConfig(AppConfig):
    """The app."""

    name = "dashboard.query"
    label = "query"

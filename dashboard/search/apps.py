"""The app of dashboard.search."""

from __future__ import annotations

from django.apps import AppConfig


class SearchConfig(AppConfig):
    """Has no models and nothing to register."""

    name = "dashboard.search"
    label = "search"

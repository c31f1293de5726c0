"""The app of dashboard.compare."""

from __future__ import annotations

from django.apps import AppConfig


class CompareConfig(AppConfig):
    """Names the app."""

    name = "dashboard.compare"
    label = "compare"

"""The app of dashboard.runs."""

from __future__ import annotations

from django.apps import AppConfig


class RunsConfig(AppConfig):
    """Names the app."""

    name = "dashboard.runs"
    label = "runs"

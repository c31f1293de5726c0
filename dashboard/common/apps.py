"""The app of dashboard.common."""

from __future__ import annotations

from django.apps import AppConfig


class CommonConfig(AppConfig):
    """Names the app."""

    name = "dashboard.common"
    label = "common"

"""The app of dashboard.live."""

from __future__ import annotations

from django.apps import AppConfig


class LiveConfig(AppConfig):
    """Names the app."""

    name = "dashboard.live"
    label = "live"

"""The app of dashboard.preview."""

from __future__ import annotations

from django.apps import AppConfig


class PreviewConfig(AppConfig):
    """Names the app."""

    name = "dashboard.preview"
    label = "preview"

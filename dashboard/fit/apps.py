"""The app of dashboard.fit."""

from __future__ import annotations

from django.apps import AppConfig


class FitConfig(AppConfig):
    """Names the app."""

    name = "dashboard.fit"
    label = "fit"

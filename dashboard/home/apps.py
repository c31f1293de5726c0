"""The app of dashboard.home."""

from __future__ import annotations

from django.apps import AppConfig


class HomeConfig(AppConfig):
    """Has no models and nothing to register."""

    name = "dashboard.home"
    label = "home"

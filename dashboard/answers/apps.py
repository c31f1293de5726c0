"""The app of dashboard.answers."""

from __future__ import annotations

from importlib import import_module

from django.apps import AppConfig


class AnswersConfig(AppConfig):
    """Registers the figures for /metrics."""

    name = "dashboard.answers"
    label = "answers"

    def ready(self) -> None:
        """Import what registers itself."""
        import_module("dashboard.answers.figures")

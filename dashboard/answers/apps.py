"""The app of dashboard.answers."""

from __future__ import annotations

from importlib import import_module

from django.apps import AppConfig

from dashboard.common.registering import Registers


class AnswersConfig(Registers, AppConfig):
    """Registers the figures for /metrics."""

    name = "dashboard.answers"
    label = "answers"

    def register(self) -> None:
        """Import what registers itself."""
        import_module("dashboard.answers.figures")

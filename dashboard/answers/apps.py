"""The app of dashboard.answers."""

from __future__ import annotations

from django.apps import AppConfig


class AnswersConfig(AppConfig):
    """Names the app."""

    name = "dashboard.answers"
    label = "answers"

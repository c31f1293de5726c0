"""The app of dashboard.review."""

from __future__ import annotations

from django.apps import AppConfig


class ReviewConfig(AppConfig):
    """Names the app."""

    name = "dashboard.review"
    label = "review"

"""The app of dashboard.agreement."""

from __future__ import annotations

from django.apps import AppConfig


class AgreementConfig(AppConfig):
    """Names the app."""

    name = "dashboard.agreement"
    label = "agreement"

"""The app of dashboard.accounts."""

from __future__ import annotations

from django.apps import AppConfig


class AccountsConfig(AppConfig):
    """Names the app."""

    name = "dashboard.accounts"
    label = "accounts"

"""The app of dashboard.debugger."""

from __future__ import annotations

from django.apps import AppConfig


class DebuggerConfig(AppConfig):
    """Names the app."""

    name = "dashboard.debugger"
    label = "debugger"

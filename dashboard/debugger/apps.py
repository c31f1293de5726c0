"""The app of dashboard.debugger."""

from __future__ import annotations

from django.apps import AppConfig


class DebuggerConfig(AppConfig):
    """Names the app, and tells workers how indexes of events are prepared."""

    name = "dashboard.debugger"
    label = "debugger"

    def ready(self) -> None:
        """Register what needs models."""
        from dashboard.debugger.events import stored_index
        from dashboard.runs import preparing

        preparing.register(preparing.Kind.EVENTS, stored_index.prepare)

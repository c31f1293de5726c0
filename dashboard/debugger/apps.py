"""The app of dashboard.debugger."""

from __future__ import annotations

from django.apps import AppConfig

from dashboard.common.registering import Registers


class DebuggerConfig(Registers, AppConfig):
    """Registers how workers prepare indexes of events."""

    name = "dashboard.debugger"
    label = "debugger"

    def register(self) -> None:
        """Register what needs models."""
        from dashboard.debugger.events import stored_index
        from dashboard.runs import preparing

        preparing.register(preparing.Kind.EVENTS, stored_index.prepare)

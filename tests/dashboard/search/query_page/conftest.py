"""The run of the debugger's tests, in the workspace "team"."""

from __future__ import annotations

from tests.dashboard.debugger.conftest import execute, run

__all__ = ["execute", "run"]

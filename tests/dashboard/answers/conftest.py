"""Runs to ask about."""

from __future__ import annotations

from tests.dashboard.debugger.conftest import _fresh, cycle_of, execute, plain_run, run

__all__ = ["_fresh", "cycle_of", "execute", "plain_run", "run"]

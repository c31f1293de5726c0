"""Runs that are executed slice by slice."""

from __future__ import annotations

from dashboard.runs import execution


def one_slice_at_a_time(monkeypatch, cycles=10):
    """Make every slice so many cycles long, whatever the machine's speed."""
    advance = execution.RunSession.advance
    monkeypatch.setattr(execution.RunSession, "advance", lambda self, *limits: advance(self, max_cycles=cycles))

"""Runs that are executed slice by slice, and workers that die."""

from __future__ import annotations

from dashboard.runs import sessions
from dashboard.runs.lifecycle import wakeups
from dashboard.runs.storage import batches


def one_slice_at_a_time(monkeypatch, cycles=10):
    """Make every slice so many cycles long, whatever the machine's speed."""
    advance = sessions.RunSession.advance
    monkeypatch.setattr(sessions.RunSession, "advance", lambda self, *limits: advance(self, max_cycles=cycles))


def die_at(monkeypatch, moment, commits):
    """Have the worker die (by an exception that nobody handles) in the middle of, or after, its so manieth commit."""

    class Killed(BaseException):
        pass

    place, name = {"within": (batches, "write"), "after": (wakeups, "notify")}[moment]
    real, count = getattr(place, name), []

    def die(*args):
        real(*args)
        count.append(1)
        if len(count) == commits:
            raise Killed

    monkeypatch.setattr(place, name, die)
    return Killed

"""Runs to ask about."""

from __future__ import annotations

import pytest

from dashboard.answers import asking
from dashboard.answers.messages import AskResult
from dashboard.answers.outcomes import WaitsFor
from tests.dashboard.debugger.conftest import _fresh, cycle_of, execute, part, plain_run, run, told

__all__ = ["_fresh", "cycle_of", "execute", "part", "plain_run", "run", "told"]


@pytest.fixture
def worker(monkeypatch):
    """The requests that get to the worker, and what it tells of them: `worker.told`."""

    class Worker(list):
        told = AskResult(waits_for=WaitsFor.WORKER)

    found = Worker()
    monkeypatch.setattr(asking, "_transport", lambda: lambda asked: found.append(asked) or found.told)
    return found

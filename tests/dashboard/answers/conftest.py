"""Runs to ask about."""

from __future__ import annotations

import pytest

from dashboard.answers import asking
from dashboard.answers.messages import AskResult
from dashboard.answers.outcomes import WaitsFor
from tests.dashboard.debugger.conftest import _fresh, cycle_of, execute, part, plain_run, run, worker_stub

__all__ = ["_fresh", "cycle_of", "execute", "part", "plain_run", "run", "worker_stub"]


@pytest.fixture
def worker(monkeypatch):
    """The requests that get to the worker, and what it tells of them: `worker.result`."""

    class Worker(list):
        result = AskResult(waits_for=WaitsFor.WORKER)

    stub = Worker()
    monkeypatch.setattr(asking, "_transport", lambda: lambda asked: stub.append(asked) or stub.result)
    return stub

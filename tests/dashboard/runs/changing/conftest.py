"""Runs in the middle, with keyframes close to one another."""

from __future__ import annotations

import pytest

from dashboard.runs import committing, execution, sessions
from dashboard.runs.models import State
from tests.dashboard.runs.slices import one_slice_at_a_time


@pytest.fixture
def in_the_middle(launch, again, monkeypatch):
    """A function that starts a run of a hundred pods and executes so many slices of ten cycles."""
    one_slice_at_a_time(monkeypatch)
    monkeypatch.setattr(committing, "KEYFRAME_EVENTS", 100)
    monkeypatch.setattr(committing, "KEYFRAME_BYTES_PER_EVENT", 1 << 20)

    def in_the_middle(slices=3):
        run = launch(5, 100)
        asked = iter(range(slices))
        with monkeypatch.context() as patch:
            patch.setattr(execution, "worker_is_stopping", lambda: next(asked, None) == slices - 1)
            execution.work()
        run = again(run)
        assert (run.state, run.head.cycle) == (State.QUEUED, 10 * slices)
        return run

    return in_the_middle


@pytest.fixture
def finish(again):
    """A function that executes what waits, by a worker that remembers nothing unless told otherwise."""

    def finish(run, remembers=False):
        if not remembers:
            sessions.forget()
        while execution.work():
            pass
        run = again(run)
        assert run.state == State.FINISHED, run.error
        return run

    return finish

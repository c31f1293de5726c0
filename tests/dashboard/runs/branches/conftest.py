"""Runs to branch, with keyframes close to one another."""

from __future__ import annotations

import pytest

from dashboard.runs import committing, execution
from dashboard.runs.branches.actions import Branching, branch_run
from dashboard.runs.models import Run, State
from tests.dashboard.row_snapshots import snapshot_of
from tests.dashboard.run_helpers import pod
from tests.dashboard.runs.slices import one_slice_at_a_time

CORDON = {
    "action": "patch",
    "object": {"kind": "Node", "metadata": {"name": "node-0"}, "spec": {"unschedulable": True}},
}
ANOTHER_POD = {"action": "put", "object": pod("late", "2")}


@pytest.fixture
def origin(launch, monkeypatch):
    """A finished run of a hundred pods with a keyframe every few cycles."""
    one_slice_at_a_time(monkeypatch)
    monkeypatch.setattr(committing, "KEYFRAME_EVENTS", 100)
    monkeypatch.setattr(committing, "KEYFRAME_BYTES_PER_EVENT", 1 << 20)

    def make():
        made = launch(5, 100)
        work()
        return made.pk

    run = Run.everything.select_related("workspace", "head").get(pk=snapshot_of("origin of branches", make))
    assert run.state == State.FINISHED
    return run


@pytest.fixture
def branch(editor, again):
    """A function that branches a run behind so many events, and executes the branch unless told otherwise."""

    def branch(run, seq, *changes, is_run=True, **how):
        made = branch_run(editor.member, run, Branching(seq, changes or (CORDON, ANOTHER_POD), **how))
        if is_run:
            work()
        return again(made)

    return branch


def work():
    while execution.work():
        pass

"""Pages of a run whose worker commits more while they are made: whole, never an error of the server."""

from __future__ import annotations

import pytest
from django.db import connection

from dashboard.runs import execution
from dashboard.runs.actions import find_run
from dashboard.runs.breakpoints import going_on
from dashboard.runs.models import RunHead, State
from scheduler_core.simulate import RunSession
from tests.dashboard.debugger.conftest import launched, scene
from tests.dashboard.debugger.test_deleted_meanwhile import undone
from tests.seeds import long_but

PAGES = (
    "",
    "?cycle=1",
    "?near=10",
    "?pod=default%2Fsmall-1",
    "?tab=story",
    "?tab=why",
    "outcomes/",
    "cycles/",
    "search/?q=outcome:unschedulable",
    "why/?pod=default/small-0",
    "why-node/?cycle=1",
    "events/",
    "events/rows/?seq=1",
    "lanes/active/",
    "map/",
    "density/",
    "density/cycle/?cycle=1",
    "state/",
)
SHORT = ("",)
STEP = 2


class RunsOnBetween:
    """Records more cycles of the run in front of the n-th statement of a request after the one that found it."""

    def __init__(self, run, n):
        self.run, self.left, self.is_found, self.is_going_on = run, n, False, False

    def __call__(self, execute, sql, params, many, context):
        if self.is_found and not self.is_going_on:
            self.left -= 1
            if self.left == 0:
                self.is_going_on = True
                go_on(self.run)
                self.is_going_on = False
        result = execute(sql, params, many, context)
        self.is_found |= '"runs_run"."number" = ' in sql
        return result


def go_on(run):
    """Let the run go on for some cycles, as its worker does."""
    going_on.let_go(run, step_to_cycle=RunHead.objects.get(run=run).cycle + STEP)
    assert execution.work()


@pytest.fixture(params=[0, 1], ids=["before its first cycle", "after its first cycle"])
def begun(request, workspace, editor, monkeypatch):
    """A run that has recorded its start, or its first cycle as well, and stands there."""
    run = launched(workspace, editor, scene(), schedule="pending")
    head = RunHead.objects.filter(run=run)
    with monkeypatch.context() as patch:
        patch.setattr(RunSession, "advance", stopping_after(request.param, head))
        assert execution.work()
    run = find_run(workspace, run.number)
    assert (run.head.cycle, run.head.seq > 0, run.state) == (request.param, True, State.PAUSED)
    return run


def stopping_after(cycle, head):
    """Return an `advance` that asks for a pause once the cycle has ended."""

    def advance(session, *_limits):
        while session.simulation.step() and session.simulation.context.cycle < cycle:
            pass
        head.update(pause_requested=True)
        return False

    return advance


@pytest.mark.slow
@pytest.mark.parametrize("page", long_but(PAGES, SHORT))
def test_a_page_of_a_run_that_goes_on_meanwhile_is_whole(viewer, begun, page):
    statuses, address = [], f"/w/team/runs/{begun.number}/{page}"
    while True:
        between = RunsOnBetween(begun, len(statuses) + 1)
        with undone():
            viewer.get(address)  # What a process has read of the run before is what it knows at first.
            with connection.execute_wrapper(between):
                statuses.append(viewer.get(address).status_code)
        if between.left > 0:
            break
    assert between.is_found
    assert set(statuses) <= {200, 302, 404}, statuses

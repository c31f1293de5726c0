"""How a run that stands goes on, what it forgets then, and who may let it."""

from __future__ import annotations

import pytest

from dashboard.accounts.models import Member, Workspace
from dashboard.common.problems import Conflict, Forbidden, NotFound, Problem
from dashboard.runs import actions
from dashboard.runs.breakpoints.going_on import (
    MAX_CYCLE,
    continue_run,
    run_to_cycle,
    run_without_breakpoints,
    step_run,
)
from dashboard.runs.models import AttachedBreakpoint, Run, RunHead, RunStop, State

pytestmark = pytest.mark.django_db


@pytest.fixture
def stopped(launch, breakpoint_of):
    """A run that stands at the breakpoint."""
    run = launch(2, 3)
    made = breakpoint_of("tie", run=run)
    Run.objects.filter(pk=run.pk).update(state=State.STOPPED)
    RunHead.objects.filter(run=run).update(cycle=3, seq=40)
    RunStop.objects.create(run=run, seq=38, breakpoint=made, name=made.name)
    return Run.objects.get()


def _standing():
    head = RunHead.objects.get()
    return Run.objects.get().state, head.step_to_cycle, RunStop.objects.count()


def test_it_is_continued(editor, stopped, messages, django_capture_on_commit_callbacks):
    assert stopped.standing.endswith(" Found")
    with django_capture_on_commit_callbacks(execute=True):
        continue_run(editor.member, stopped)
    assert _standing() == (State.QUEUED, 0, 0)
    assert messages[-1] == "work"
    assert AttachedBreakpoint.objects.get().is_enabled


def test_resuming_it_is_continuing(editor, stopped):
    actions.resume_run(editor.member, stopped)
    assert _standing() == (State.QUEUED, 0, 0)


def test_it_is_stepped_and_so_is_a_paused_run(editor, stopped):
    step_run(editor.member, stopped)
    assert _standing() == (State.QUEUED, 4, 0)
    Run.objects.update(state=State.PAUSED)
    RunHead.objects.update(cycle=7)
    step_run(editor.member, stopped)
    assert _standing() == (State.QUEUED, 8, 0)


def test_it_runs_to_a_cycle_and_so_does_a_paused_run(editor, stopped):
    run_to_cycle(editor.member, stopped, 9)
    assert _standing() == (State.QUEUED, 9, 0)
    Run.objects.update(state=State.PAUSED)
    run_to_cycle(editor.member, stopped, MAX_CYCLE)
    assert _standing() == (State.QUEUED, MAX_CYCLE, 0)


@pytest.mark.parametrize("cycle", [-1, 0, 3, MAX_CYCLE + 1])
def test_a_cycle_that_is_recorded_or_too_large_is_refused(editor, stopped, cycle):
    with pytest.raises(Problem, match=r"from 4 to 2,147,483,647; the run has stopped after cycle 3"):
        run_to_cycle(editor.member, stopped, cycle)
    assert _standing() == (State.STOPPED, 0, 1)


def _to_cycle_9(member, run):
    run_to_cycle(member, run, 9)


def test_it_runs_on_without_its_breakpoints(editor, stopped):
    run_without_breakpoints(editor.member, stopped)
    assert _standing() == (State.QUEUED, 0, 0)
    assert not AttachedBreakpoint.objects.get().is_enabled


@pytest.mark.parametrize("state", [State.QUEUED, State.RUNNING, State.FINISHED, State.CANCELLED])
def test_only_a_run_that_stands_goes_on(editor, stopped, state):
    Run.objects.update(state=state)
    for act in (continue_run, step_run, _to_cycle_9, run_without_breakpoints):
        with pytest.raises(Conflict):
            act(editor.member, stopped)


def test_pausing_leaves_it_where_it_is_and_cancelling_ends_it(editor, stopped):
    actions.pause_run(editor.member, stopped)
    assert _standing() == (State.STOPPED, 0, 1)
    actions.cancel_run(editor.member, stopped)
    assert _standing() == (State.CANCELLED, 0, 0)


def test_a_full_workspace_lets_nothing_go_on(editor, stopped):
    Workspace.objects.filter(pk=stopped.workspace_id).update(max_storage_bytes=0)
    for act in (continue_run, step_run, _to_cycle_9, run_without_breakpoints):
        with pytest.raises(Problem, match="GiB"):
            act(editor.member, stopped)
    assert _standing() == (State.STOPPED, 0, 1)


def test_viewers_reviewers_and_strangers_may_not(viewer, reviewer, stranger, stopped):
    for act in (continue_run, step_run, _to_cycle_9, run_without_breakpoints):
        for person in (viewer, reviewer):
            with pytest.raises(Forbidden):
                act(person.member, stopped)
        with pytest.raises(NotFound):
            act(Member.objects.get(user=stranger.user), stopped)

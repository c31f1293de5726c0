"""What every change of a run's state by people does first."""

from __future__ import annotations

import pytest
from django.db import transaction

from dashboard.accounts.models import Member, Workspace
from dashboard.common.problems import NotFound, Problem
from dashboard.runs.lifecycle.transitions import check_room, conflict, locked_run, set_state
from dashboard.runs.models import Run, RunHead, State

pytestmark = pytest.mark.django_db


def test_the_run_is_read_as_it_is_now(editor, launch):
    run = launch(2, 3)
    set_state(run, State.PAUSED, error="no room")
    with transaction.atomic():
        locked = locked_run(editor.member, run)
    assert (locked.state, locked.error, run.state) == (State.PAUSED, "no room", State.QUEUED)


def test_somebody_elses_run_and_one_that_is_gone_are_not_found(editor, stranger, launch):
    run = launch(2, 3)
    with pytest.raises(NotFound), transaction.atomic():
        locked_run(Member.objects.get(user=stranger.user), run)
    RunHead.objects.all().delete()
    with pytest.raises(NotFound), transaction.atomic():
        locked_run(editor.member, run)


def test_a_conflict_names_the_state(launch):
    run = Run(number=7, state=State.FINISHED)
    assert conflict(run, "paused").detail == "Run 7 is finished and has ended; it cannot be paused."


def test_a_full_workspace_has_no_room(workspace):
    check_room(workspace)
    Workspace.objects.filter(pk=workspace.pk).update(max_storage_bytes=-1)
    with pytest.raises(Problem, match="Delete runs or raise the limit"):
        check_room(workspace)

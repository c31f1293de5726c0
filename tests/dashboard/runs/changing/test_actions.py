"""Who may change a run that goes on, when, and with what."""

from __future__ import annotations

import pytest

from dashboard.accounts.models import AuditEntry
from dashboard.common.problems import Conflict, Forbidden, NotFound, Problem
from dashboard.runs.changing import actions
from dashboard.runs.changing.actions import change_run
from dashboard.runs.models import Run, RunChange
from tests.dashboard.runs.branches.conftest import ANOTHER_POD, CORDON

pytestmark = pytest.mark.django_db


@pytest.fixture
def queued(launch):
    """A run that waits for a worker."""
    return launch(2, 3)


def test_a_change_waits_with_its_author_until_a_worker_takes_it_up(queued, editor, again):
    change = change_run(editor.member, queued, [CORDON])
    assert (change.number, change.created_by, change.is_waiting, change.placed) == (1, editor.user, True, [])
    assert (again(queued).head.changes_wait, again(queued).head.n_changes) == (True, 0)
    assert change_run(editor.member, queued, [ANOTHER_POD]).number == 2
    assert AuditEntry.objects.filter(action="run.changed").count() == 2


def test_viewers_and_members_of_other_workspaces_may_not(queued, viewer, stranger):
    with pytest.raises(Forbidden):
        change_run(viewer.member, queued, [CORDON])
    with pytest.raises(NotFound):
        change_run(stranger.user.memberships.select_related("workspace", "user").get(), queued, [CORDON])
    assert not RunChange.objects.exists()


@pytest.mark.parametrize("state", ["finished", "failed", "cancelled", "cancelling"])
def test_what_has_ended_is_branched_instead(queued, editor, state):
    Run.objects.filter(pk=queued.pk).update(state=state)
    with pytest.raises(Conflict, match="branch it"):
        change_run(editor.member, queued, [CORDON])


def test_a_run_of_another_engine_is_not_changed(queued, editor):
    Run.objects.filter(pk=queued.pk).update(engine_version="0.1")
    with pytest.raises(Conflict, match=r"engine 0\.1"):
        change_run(editor.member, queued, [CORDON])


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ([], "Nothing is changed"),
        ([{**CORDON, "at": 3}], "leave out at"),
        ([{"action": "explode"}], "changes[0].action"),
        ([CORDON, {"action": "put", "object": {"kind": "Pod"}}], "changes[1].object"),
        ([{"action": "set_policies", "policies": {"draw": "best"}}], "changes[0].policies"),
    ],
    ids=lambda value: str(value)[:30],
)
def test_what_cannot_be_read_is_refused_at_once(queued, editor, changes, message):
    with pytest.raises(Problem) as raised:
        change_run(editor.member, queued, changes)
    assert message in str(raised.value)
    assert not RunChange.objects.exists()


def test_a_run_is_changed_so_many_times_at_most(queued, editor, monkeypatch):
    monkeypatch.setattr(actions, "MOST_OF_A_RUN", 1)
    change_run(editor.member, queued, [CORDON])
    with pytest.raises(Problem, match="Branch it for more"):
        change_run(editor.member, queued, [CORDON])

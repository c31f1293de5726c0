"""Who may branch a run, where, and with which changes."""

from __future__ import annotations

import pytest

from dashboard.accounts.models import AuditEntry
from dashboard.common.problems import Forbidden, NotFound, Problem
from dashboard.runs.branches.actions import MOST_BYTES, MOST_CHANGES, Branching, branch_run
from dashboard.runs.models import Run, RunBranch
from tests.dashboard.run_helpers import node
from tests.dashboard.runs.branches.conftest import CORDON

pytestmark = pytest.mark.django_db


def refused(member, run, seq=50, changes=(CORDON,)):
    """Return the words of the refusal; nothing was made."""
    before = Run.everything.count()
    with pytest.raises(Problem) as raised:
        branch_run(member, run, Branching(seq, changes))
    assert (Run.everything.count(), RunBranch.objects.count()) == (before, 0)
    return str(raised.value)


def test_a_branch_keeps_the_inputs_of_its_origin_and_names_it(run, editor):
    made = branch_run(editor.member, run, Branching(50, (CORDON,), name=" Cordoned "))
    assert (made.name, made.number) == ("Cordoned", run.number + 1)
    assert (made.seed, made.revision_id) == (run.seed, run.revision_id)
    assert (made.branch.origin_id, made.branch.origin_number, made.branch.asked_seq) == (run.pk, run.number, 50)
    assert (made.branch.seq, made.branch.changes) == (None, [CORDON])
    assert [one.run_id for one in run.branches.all()] == [made.pk]
    entry = AuditEntry.objects.get(action="run.branched")
    assert (entry.actor, entry.details) == (editor.user, {"number": made.number, "origin": run.number, "seq": 50})


def test_viewers_and_members_of_other_workspaces_may_not(run, viewer, stranger):
    with pytest.raises(Forbidden):
        branch_run(viewer.member, run, Branching(50, (CORDON,)))
    member = stranger.user.memberships.select_related("workspace", "user").get()
    with pytest.raises(NotFound):
        branch_run(member, run, Branching(50, (CORDON,)))
    assert not RunBranch.objects.exists()


def test_a_place_has_to_be_in_the_recording(run, editor, launch):
    assert f"has {run.head.seq:,} events" in refused(editor.member, run, run.head.seq + 1)
    assert "there is no event -1" in refused(editor.member, run, -1)
    assert "has not begun" in refused(editor.member, launch(2, 3), 0)
    Run.objects.filter(pk=run.pk).update(engine_version="0.1")
    run.refresh_from_db()
    assert "Run it again first" in refused(editor.member, run)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ((), "needs a change"),
        (["patch"], "Each change is a mapping"),
        ([{**CORDON, "at": 3}], "leave out at"),
        ([{"action": "explode"}], 'changes[0].action: "explode" is no action'),
        ([CORDON, {"action": "put", "object": {"kind": "Pod"}}], "changes[1].object"),
        ([{"action": "switch_off", "entry": 0}], "changes[0].entry"),
        ([{"action": "set_policies", "policies": {"draw": "best"}}], "changes[0].policies"),
        ([{"action": "configure", "configuration": {"kind": "Pod"}}], "changes[0].configuration"),
        ([CORDON] * (MOST_CHANGES + 1), "There may be"),
        ([{"action": "put", "object": node("n", big="x" * MOST_BYTES)}], "take more"),
    ],
    ids=lambda value: str(value)[:30],
)
def test_a_change_that_cannot_be_read_names_its_place(run, editor, changes, message):
    assert message in refused(editor.member, run, changes=changes)

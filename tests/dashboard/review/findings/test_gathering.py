"""The findings of whatever is reviewed."""

from __future__ import annotations

import pytest

from dashboard.review.findings import asked
from dashboard.review.findings.gathering import GONE, gathered
from dashboard.review.models import Review, SubjectKind
from dashboard.runs import actions, execution
from dashboard.runs.branches.actions import Branching, branch_run
from dashboard.runs.models import State
from tests.dashboard.review.conftest import make_run
from tests.dashboard.review.pages import page
from tests.dashboard.run_helpers import node, pod

pytestmark = pytest.mark.django_db


def test_a_review_of_a_run_has_the_runs_findings(run, thread, viewer):
    of_run, of_review = (gathered(viewer.member, one) for one in (run, thread.review))
    assert [one.key for one in of_run.findings] == [one.key for one in of_review.findings]


def test_what_is_gone_has_none_and_says_so(workspace, viewer):
    for kind in (SubjectKind.RUN, SubjectKind.COMPARISON, SubjectKind.CLUSTER):
        review = Review(workspace=workspace, number=1, kind=kind)
        assert gathered(viewer.member, review).note == GONE


def test_a_run_that_is_being_deleted_is_called_deleted(run, workspace, viewer):
    of_both = {"kind": SubjectKind.COMPARISON, "run": make_run(workspace, 2), "other_run": run}
    reviews = [
        Review.everything.create(workspace=workspace, number=n, about="x", is_asked=True, **columns)
        for n, columns in enumerate(({"kind": SubjectKind.RUN, "run": run}, of_both), 1)
    ]
    run.state = State.DELETING
    run.save()
    assert [gathered(viewer.member, review).note for review in reviews] == [GONE, GONE]


def test_what_is_still_computed_is_asked_for_again_by_the_page(run, viewer, monkeypatch, workspace):
    review = Review.everything.create(
        workspace=workspace, number=1, kind=SubjectKind.COMPARISON, run=run, other_run=run, about="both", is_asked=True
    )
    waiting = asked.AnswerSoFar(None, "3 of 9", 4, is_waiting=True)
    monkeypatch.setattr(asked.AnswerClock, "of_run", lambda *_: waiting)
    shown = page(viewer, f"/w/team/reviews/{review.number}/")
    assert "3 of 9" in shown
    assert f'hx-get="/w/team/reviews/{review.number}/findings?turn=4' in shown


@pytest.mark.slow
def test_a_branch_has_where_it_parts_from_its_origin(execute, editor, workspace):
    origin = execute([node("a", "8"), node("b", "8"), *(pod(f"pod-{n}", "1") for n in range(6))])
    spare = Branching(origin.head.seq // 2, ({"object": node("spare", "64")},))
    branch = branch_run(editor.member, origin, spare)
    while execution.work():
        pass
    there = gathered(editor.member, actions.find_run(workspace, branch.number))
    (parting,) = [group for group in there.groups if group.title == f"First divergence from run {origin.number}"]
    assert parting.findings[0].url.startswith(f"/w/team/compare/?a={origin.number}&b={branch.number}")
    assert not [group for group in gathered(editor.member, origin).groups if "divergence" in group.title]

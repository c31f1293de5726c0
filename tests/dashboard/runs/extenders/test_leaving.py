"""Where a run leaves its tape: noted with the events that say so, and kept by branches that begin behind."""

from __future__ import annotations

import pytest

from dashboard.documents.extenders.answering import ExtenderAnswers
from dashboard.runs.branches.actions import Branching, branch_run
from dashboard.runs.models import Cycle, State
from tests.dashboard.extender_scene import started

pytestmark = pytest.mark.django_db

UNSCHEDULABLE = {"kind": "Node", "metadata": {"name": "fast-1"}, "spec": {"unschedulable": True}}
CORDON = {"action": "patch", "object": UNSCHEDULABLE}


@pytest.fixture
def taped(editor, scene, tape, done):
    return done(started(editor, scene, answers=ExtenderAnswers(tape)))


def test_a_branch_that_asks_for_what_is_not_on_the_tape_notes_the_cycle(editor, taped, done):
    seq = Cycle.objects.get(run=taped, number=2).first_seq - 1
    branch = done(branch_run(editor.member, taped, Branching(seq, [CORDON])))
    assert branch.state == State.FINISHED, branch.error
    assert branch.tape_revision == taped.tape_revision
    assert branch.head.left_tape_cycle == 2
    assert branch.head.left_tape_reason.startswith("filter of extenders[0] for pod shop/db-0: ")
    cycle = Cycle.objects.get(run=branch, number=2)
    assert cycle.outcome == "error"
    assert "the request is not on the tape" in cycle.message
    decided = editor.get(f"/w/team/runs/{branch.number}/?cycle=2", follow=True).content.decode()
    assert "The call of the extender http://data.example:8888/scheduler failed" in decided
    assert "No node was looked at" not in decided
    page = editor.get(f"/w/team/runs/{branch.number}/", follow=True).content.decode()
    assert "left its tape at cycle 2" in page
    assert 'href="/w/team/extenders/tapes/recorded/?r=1"' in page


def test_a_branch_of_a_run_that_had_left_its_tape_says_where(editor, taped, done):
    seq = Cycle.objects.get(run=taped, number=2).first_seq - 1
    branch = done(branch_run(editor.member, taped, Branching(seq, [CORDON])))
    later = done(branch_run(editor.member, branch, Branching(branch.head.seq - 1, [CORDON])))
    assert (later.head.left_tape_cycle, later.head.left_tape_reason) == (2, branch.head.left_tape_reason)


def test_a_run_whose_requests_are_all_on_its_tape_says_so(editor, taped):
    page = editor.get(f"/w/team/runs/{taped.number}/", follow=True).content.decode()
    assert "Every request of the run is on the tape." in page
    assert 'href="/w/team/extenders/tapes/recorded/?r=1"' in page

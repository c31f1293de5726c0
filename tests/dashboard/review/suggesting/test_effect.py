"""Branches that comments suggest: what may be suggested, and what the branch comes to beside the run that it left."""

from __future__ import annotations

import pytest

from dashboard.common.problems import NotFound, Problem
from dashboard.review import actions
from dashboard.review.drafts import actions as drafting
from dashboard.review.models import Comment
from dashboard.review.pins.pin import Pin
from dashboard.review.suggesting.effect import branch_choices, effect_of, suggested_in
from dashboard.runs import execution
from dashboard.runs.actions import delete_run, find_run
from dashboard.runs.branches.actions import Branching, branch_run
from tests.dashboard.debugger.conftest import scene
from tests.dashboard.run_helpers import node

ROOM = {"action": "put", "object": node("room", "128")}


@pytest.fixture
def origin(execute):
    """A finished run in which pods find no node."""
    return execute(scene(), schedule="pending")


@pytest.fixture
def branch(origin, editor):
    """A finished branch of it that begins with a large node more."""
    made = branch_run(editor.member, origin, Branching(0, [ROOM]))
    while execution.work():
        pass
    return find_run(origin.workspace, made.number)


def test_the_effect_counts_pods_that_end_otherwise(origin, branch, reviewer):
    effect = effect_of(reviewer.member, branch)
    for _ in range(50):
        if not effect.is_waiting:
            break
        effect = effect_of(reviewer.member, branch, effect.turn)
    assert (effect.is_computed, effect.origin, effect.changes) == (True, origin, "Node room put")
    placed, unplaced, _ = effect.figures
    assert [one.label for one in effect.figures] == ["bound or completed", "without a node", "preempted"]
    assert placed.after > placed.before
    assert unplaced.after < unplaced.before
    assert {one.label: one.count for one in effect.groups}["Newly placed"] > 0
    assert [one.number for one in branch_choices([origin])] == [branch.number]


def test_a_branch_that_runs_or_whose_origin_is_gone_says_so(origin, editor, reviewer):
    branch = branch_run(editor.member, origin, Branching(0, [ROOM]))
    running = effect_of(reviewer.member, find_run(origin.workspace, branch.number))
    assert (running.is_waiting, running.note) == (True, "The branch is still running")
    delete_run(editor.member, origin)
    gone = effect_of(reviewer.member, find_run(origin.workspace, branch.number))
    assert (gone.is_waiting, gone.origin) == (False, None)
    assert "has been deleted" in gone.note


def test_only_branches_of_the_workspace_are_suggested(origin, branch, workspace):
    assert suggested_in(workspace, {}) is None
    assert suggested_in(workspace, {"suggest": str(branch.number)}) == branch
    with pytest.raises(Problem, match="no branch"):
        suggested_in(workspace, {"suggest": str(origin.number)})
    with pytest.raises(NotFound):
        suggested_in(workspace, {"suggest": "99"})


def test_another_workspaces_branch_is_refused_behind_the_form_as_well(branch, foreign_run, stranger):
    theirs = stranger.user.memberships.get()
    with pytest.raises(NotFound):
        actions.open_thread(theirs, foreign_run, Pin(1), "x", suggested=branch)
    with pytest.raises(NotFound):
        drafting.keep_thread(theirs, foreign_run, Pin(1), "x", suggested=branch)


def test_a_draft_keeps_what_it_suggests_and_a_deleted_branch_its_number(origin, branch, reviewer):
    drafting.keep_thread(reviewer.member, origin, Pin(1), "Try it so", suggested=branch)
    drafting.submit(reviewer.member, origin, "comment", "")
    comment = Comment.objects.get()
    assert comment.suggested == branch
    number = branch.number
    branch.delete()
    comment.refresh_from_db()
    assert (comment.suggested, comment.suggested_number) == (None, number)

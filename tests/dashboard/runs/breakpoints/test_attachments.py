"""What stops a run: attached by whom and when, how many, and what leaves it again."""

from __future__ import annotations

import pytest

from dashboard.accounts.models import Member
from dashboard.common.problems import Conflict, Forbidden, NotFound, Problem
from dashboard.runs import actions
from dashboard.runs.breakpoints import attachments
from dashboard.runs.breakpoints.attachments import attach, attached_to, switch_attached
from dashboard.runs.models import AttachedBreakpoint, Run, RunHead, State

pytestmark = pytest.mark.django_db


def test_one_that_is_attached_at_launch_counts_from_the_first_event(editor, launch, breakpoint_of):
    made = breakpoint_of("tie")
    run = launch(2, 3, breakpoints=(made, made))
    (attached,) = attached_to(run)
    assert (attached.breakpoint, attached.attached_by, attached.first_seq) == (made, editor.user, 0)


def test_one_that_is_attached_later_counts_from_the_head(editor, launch, breakpoint_of):
    run, made = launch(2, 3), breakpoint_of("tie")
    RunHead.objects.update(seq=40)
    attached = attach(editor.member, run, made)
    assert (attached.first_seq, attached.counted_to) == (40, 40)
    RunHead.objects.update(seq=60)
    assert attach(editor.member, run, made).first_seq == 40


def test_switched_on_again_it_counts_anew(editor, launch, breakpoint_of):
    run = launch(2, 3)
    made = breakpoint_of("tie", run=run)
    AttachedBreakpoint.objects.update(hits=5, hits_since_stop=2)
    RunHead.objects.update(seq=60)
    switch_attached(editor.member, run, made, True)
    assert AttachedBreakpoint.objects.get().hits == 5
    switch_attached(editor.member, run, made, False)
    assert not AttachedBreakpoint.objects.get().is_enabled
    switch_attached(editor.member, run, made, True)
    attached = AttachedBreakpoint.objects.get()
    assert (attached.counted_to, attached.hits, attached.hits_since_stop) == (60, 0, 0)


def test_a_run_has_so_many_and_one_that_is_being_stopped_gets_none(editor, launch, breakpoint_of, monkeypatch):
    monkeypatch.setattr(attachments, "MAX_ATTACHED", 1)
    run, made, other = launch(2, 3), breakpoint_of("tie"), breakpoint_of("margin<5", "Other")
    attach(editor.member, run, made)
    with pytest.raises(Problem, match="At most 1"):
        attach(editor.member, run, other)
    with pytest.raises(Problem, match="At most 1"):
        launch(2, 3, breakpoints=(made, other))
    assert Run.objects.count() == 1
    Run.objects.update(state=State.CANCELLING)
    with pytest.raises(Conflict, match="at a breakpoint"):
        attach(editor.member, run, other)


def test_a_run_that_has_ended_has_breakpoints_to_walk_along(editor, launch, breakpoint_of):
    run, made = launch(2, 3), breakpoint_of("tie")
    actions.cancel_run(editor.member, run)
    attach(editor.member, run, made)
    switch_attached(editor.member, run, made, False)
    assert [one.is_enabled for one in attached_to(run)] == [False]


def test_a_new_run_with_the_same_inputs_has_no_breakpoints(editor, launch, breakpoint_of):
    run = launch(2, 3, breakpoints=(breakpoint_of("tie"),))
    assert not attached_to(actions.start_anew(editor.member, run)).exists()


def test_viewers_reviewers_and_strangers_may_not(viewer, reviewer, stranger, launch, breakpoint_of):
    run, made = launch(2, 3), breakpoint_of("tie")
    acts = (attach, lambda member, run, made: switch_attached(member, run, made, True))
    for act in acts:
        for person in (viewer, reviewer):
            with pytest.raises(Forbidden):
                act(person.member, run, made)
        with pytest.raises(NotFound):
            act(Member.objects.get(user=stranger.user), run, made)
    assert Run.objects.get().state == State.QUEUED

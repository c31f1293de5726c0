"""Threads as pages show them: by cycle, by state, counted."""

from __future__ import annotations

import pytest

from dashboard.common.problems import Problem
from dashboard.review import actions, threads
from dashboard.review.models import Review
from dashboard.review.pins.pin import Pin
from tests.dashboard.review.conftest import make_run


def test_open_threads_are_counted_by_place(run, reviewer):
    first, _, other = (actions.open_thread(reviewer.member, run, Pin(cycle), "x") for cycle in (2, 2, 3))
    actions.resolve(reviewer.member, other)
    assert threads.counts_by_place(run) == {f"{run.pk}:2": 2}
    actions.resolve(reviewer.member, first)
    assert threads.counts_by_place(run) == {f"{run.pk}:2": 1}


def test_threads_come_by_cycle_with_their_comments(run, reviewer, editor):
    late = actions.open_thread(reviewer.member, run, Pin(3), "late")
    early = actions.open_thread(reviewer.member, run, Pin(1, None, "Score", "", "node-1"), "early")
    actions.reply(editor.member, early, "reply")
    views = threads.thread_views(editor.member, list(threads.threads_of(run)))
    assert [view.thread for view in views] == [early, late]
    assert [str(line.html) for line in views[0].comments] == ["<p>early</p>", "<p>reply</p>"]
    assert [(line.is_new, line.is_mine) for line in views[0].comments] == [(False, False), (False, True)]
    assert [line.is_new for line in views[1].comments] == [True]
    assert [view.about for view in views] == ["cycle 1, default/pod-1, Score, node-1", "cycle 3, default/pod-3"]


def test_marks_count_by_cycle_and_point_at_the_first(run, thread, reviewer):
    other = actions.open_thread(reviewer.member, run, Pin(2, thread.seq - 1, "Score"), "x")
    late = actions.open_thread(reviewer.member, run, Pin(3), "y")
    actions.resolve(reviewer.member, thread)
    assert threads.cycle_marks(run) == [
        threads.CycleMark(2, other.seq, open=1, threads=2),
        threads.CycleMark(3, late.seq, open=1, threads=1),
    ]


def test_threads_are_filtered_by_cycle_and_state(run, thread, reviewer):
    other = actions.open_thread(reviewer.member, run, Pin(1), "x")
    actions.resolve(reviewer.member, thread)
    assert list(threads.threads_of(run, 1)) == [other]
    assert list(threads.threads_of(run, show="open")) == [other]
    assert list(threads.threads_of(run, show="resolved")) == [thread]


def test_the_page_of_a_thread(run, reviewer):
    threads_opened = [actions.open_thread(reviewer.member, run, Pin(1), str(n)) for n in range(5)]
    assert [threads.page_of(run, thread, 2, "all") for thread in threads_opened] == [1, 1, 2, 2, 3]


def test_threads_of_two_runs_each_have_their_own_cycles(workspace, run, reviewer):
    other = make_run(workspace, 2)
    review = Review.everything.create(workspace=workspace, number=1, kind="comparison", run=run, other_run=other)
    places = ((run, 2), (other, 3))
    opened = [actions.open_thread(reviewer.member, one, Pin(cycle), "x", review) for one, cycle in places]
    views = threads.thread_views(reviewer.member, list(threads.threads_of(review)))
    assert [view.thread for view in views] == opened
    assert [(view.row.run_id, view.row.number) for view in views] == [(run.pk, 2), (other.pk, 3)]
    assert list(threads.about_these(threads.threads_of(review), [(other.pk, 3)], "")) == opened[1:]
    assert list(threads.about_these(threads.threads_of(review), [], "")) == []
    assert [threads.page_of(review, thread, 1, "all") for thread in opened] == [1, 2]


def test_a_thread_within_a_review_is_about_one_of_its_runs(workspace, run, reviewer):
    review = Review.everything.create(
        workspace=workspace, number=1, kind="comparison", run=make_run(workspace, 2), other_run=make_run(workspace, 3)
    )
    with pytest.raises(Problem, match="about run 1"):
        actions.open_thread(reviewer.member, run, Pin(1), "x", review)

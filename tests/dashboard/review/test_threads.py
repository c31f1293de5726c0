"""Threads as pages show them: by cycle, by state, counted."""

from __future__ import annotations

from dashboard.review import actions, threads
from dashboard.review.actions import Pin


def test_threads_come_by_cycle_with_their_comments(run, reviewer, editor):
    late = actions.open_thread(reviewer.member, run, Pin(3), "late")
    early = actions.open_thread(reviewer.member, run, Pin(1, None, "Score", "", "node-1"), "early")
    actions.reply(editor.member, early, "reply")
    views = threads.thread_views(editor.member, list(threads.threads_of(run)))
    assert [view.thread for view in views] == [early, late]
    assert [str(line.html) for line in views[0].comments] == ["<p>early</p>", "<p>reply</p>"]
    assert [(line.is_new, line.is_mine) for line in views[0].comments] == [(False, False), (False, True)]
    assert [line.is_new for line in views[1].comments] == [True]
    assert (views[0].pin, views[1].pin) == ("Score, node-1", "")
    groups = threads.by_cycle(editor.member, views)
    assert [(group.number, group.outcome, len(group.threads)) for group in groups] == [
        (1, "scheduled", 1),
        (3, "unschedulable", 1),
    ]


def test_marks_count_by_cycle_and_point_at_the_first(run, thread, reviewer):
    other = actions.open_thread(reviewer.member, run, Pin(2, thread.seq - 1, "Score"), "x")
    late = actions.open_thread(reviewer.member, run, Pin(3), "y")
    actions.resolve(reviewer.member, thread)
    assert threads.marks_of(run) == [
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
    assert [threads.page_of(thread, 2, "all") for thread in threads_opened] == [1, 1, 2, 2, 3]


def test_cycles_with_threads_are_counted(run, thread, reviewer):
    actions.open_thread(reviewer.member, run, Pin(2), "x")
    actions.resolve(reviewer.member, thread)
    assert [
        (one.number, one.row.pod, one.n_open, one.n_resolved, one.first) for one in threads.cycles_with_threads(run)
    ] == [(2, "default/pod-2", 1, 1, thread.pk)]

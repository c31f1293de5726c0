"""What a member watches in a run: their own list, in their order, with a limit; offered again for the next run."""

from __future__ import annotations

import pytest

from dashboard.accounts.models import AuditEntry, Member
from dashboard.common.problems import NotFound, Problem
from dashboard.runs.models import RunWatch
from dashboard.runs.models.breakpoints import WATCH_LENGTH
from dashboard.runs.watches import (
    MAX_WATCHES,
    add_watch,
    earlier_watches,
    find_watch,
    list_watches,
    move_watch,
    remove_watch,
    take_over_watches,
)
from scheduler_core.explain.watches import MAX_WATCH_LENGTH

pytestmark = pytest.mark.django_db


def texts(member, run):
    return [watch.text for watch in list_watches(member, run)]


def test_watches_stand_in_the_order_in_which_they_were_added_each_once(viewer, launch):
    run = launch()
    for text in ("pods on node-1", "Length of BACKOFFQ", " pods  on node-1 "):
        add_watch(viewer.member, run, text)
    assert texts(viewer.member, run) == ["pods on node-1", "length of backoffQ"]


def test_a_list_is_its_member_s_own_and_leaves_no_trace_in_the_audit_log(viewer, editor, launch):
    run, entries = launch(), AuditEntry.objects.count()
    watch = add_watch(viewer.member, run, "pods on node-1")
    assert texts(editor.member, run) == []
    with pytest.raises(NotFound):
        remove_watch(editor.member, run, watch.pk)
    with pytest.raises(NotFound):
        move_watch(editor.member, run, watch.pk, 1)
    assert AuditEntry.objects.count() == entries
    assert find_watch(viewer.member, run, watch.pk) == watch


def test_watches_are_removed_and_moved_no_further_than_the_ends(viewer, launch):
    run = launch()
    first, second, third = (add_watch(viewer.member, run, f"pods on node-{n}") for n in range(3))
    move_watch(viewer.member, run, third.pk, -1)
    assert texts(viewer.member, run) == ["pods on node-0", "pods on node-2", "pods on node-1"]
    move_watch(viewer.member, run, third.pk, -5)
    move_watch(viewer.member, run, third.pk, -1)
    assert texts(viewer.member, run)[0] == "pods on node-2"
    move_watch(viewer.member, run, third.pk, 9)
    assert texts(viewer.member, run) == ["pods on node-0", "pods on node-1", "pods on node-2"]
    remove_watch(viewer.member, run, second.pk)
    add_watch(viewer.member, run, "pods on node-1")
    assert texts(viewer.member, run) == ["pods on node-0", "pods on node-2", "pods on node-1"]
    assert first.pk == list_watches(viewer.member, run)[0].pk


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "column 1"),
        ("free cpu of <script>", "column 13"),
        ("count of outcome:bond", "column 18"),
        ("x" * 5_000, "at most 600"),
        ("pods on a\x00b", "column 10"),
        ("count of " + "(" * 400, "column"),
    ],
    ids=["nothing", "markup", "query", "long", "control", "deep"],
)
def test_what_cannot_be_watched_is_refused_with_its_column(viewer, launch, text, message):
    run = launch()
    with pytest.raises(Problem, match=message):
        add_watch(viewer.member, run, text)
    assert not RunWatch.objects.exists()


def test_the_longest_watch_fits_its_column():
    assert WATCH_LENGTH == MAX_WATCH_LENGTH


def test_there_is_a_limit(viewer, launch):
    run = launch()
    for number in range(MAX_WATCHES):
        add_watch(viewer.member, run, f"pods on node-{number}")
    add_watch(viewer.member, run, "pods on node-0")
    with pytest.raises(Problem, match="At most 12"):
        add_watch(viewer.member, run, "pods on node-99")


def test_the_next_run_of_the_cluster_is_offered_them(viewer, editor, launch):
    first, between = launch(), launch()
    again, other = launch(revision=first.revision), launch()
    for text in ("pods on node-1", "length of activeQ"):
        add_watch(viewer.member, first, text)
    add_watch(editor.member, between, "length of gated")
    earlier = earlier_watches(viewer.member, again)
    assert (earlier.run, earlier.texts) == (first, ("pods on node-1", "length of activeQ"))
    add_watch(viewer.member, again, "length of activeQ")
    take_over_watches(viewer.member, again)
    assert texts(viewer.member, again) == ["length of activeQ", "pods on node-1"]
    assert earlier_watches(viewer.member, other).run == again
    assert earlier_watches(editor.member, between) is None
    with pytest.raises(NotFound):
        take_over_watches(editor.member, between)


def test_they_go_with_the_member_and_with_the_run(viewer, launch):
    run = launch()
    add_watch(viewer.member, run, "pods on node-1")
    Member.objects.filter(pk=viewer.member.pk).delete()
    assert not RunWatch.objects.exists()


def test_a_run_of_another_workspace_is_not_there(viewer, launch, stranger):
    run = launch()
    with pytest.raises(NotFound):
        add_watch(Member.objects.get(user=stranger.user), run, "pods on node-1")

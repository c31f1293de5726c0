"""Breakpoints of a workspace: who may, names, queries, limits, and what of them reaches the runs."""

from __future__ import annotations

import pytest

from dashboard.accounts.models import AuditEntry, Member
from dashboard.common.problems import Conflict, Forbidden, NotFound, Problem
from dashboard.runs.breakpoints import definitions
from dashboard.runs.breakpoints.definitions import (
    BreakpointFields,
    change_breakpoint,
    create_breakpoint,
    delete_breakpoint,
    find_breakpoint,
    list_breakpoints,
    name_of,
    query_error,
    switch_breakpoint,
)
from dashboard.runs.models import BREAKPOINT_NAME_LENGTH, AttachedBreakpoint, Breakpoint

pytestmark = pytest.mark.django_db

FIELDS = BreakpointFields(" No node ", " outcome:unschedulable and attempt>3 ", 2)


def test_a_breakpoint_is_the_workspaces_with_its_author(editor):
    made = create_breakpoint(editor.member, FIELDS)
    (listed,) = list_breakpoints(editor.member.workspace)
    assert (listed.name, listed.query, listed.hit_count) == ("No node", "outcome:unschedulable and attempt>3", 2)
    assert (listed.is_enabled, listed.created_by) == (True, editor.user)
    assert find_breakpoint(editor.member.workspace, made.pk) == made
    assert query_error(made) == ""


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        (BreakpointFields("x" * 81, "tie"), "80 characters"),
        (BreakpointFields("two\nlines", "tie"), "one line"),
        (BreakpointFields("a", "  "), "needs a query"),
        (BreakpointFields("a", "outcome:bond"), "column 9"),
        (BreakpointFields("a", "tie " * 900), "2,000"),
        (BreakpointFields("a", "tie", 0), "hit count"),
        (BreakpointFields("a", "tie", 1_000_001), "hit count"),
    ],
    ids=["long name", "lines", "no query", "wrong query", "long query", "no hit", "too many hits"],
)
def test_what_is_written_wrongly_is_refused_with_words(editor, fields, message):
    with pytest.raises(Problem, match=message):
        create_breakpoint(editor.member, fields)
    assert not Breakpoint.objects.exists()


def test_a_name_is_taken_once_whatever_its_letters(editor):
    first = create_breakpoint(editor.member, FIELDS)
    other = create_breakpoint(editor.member, BreakpointFields("Ties", "tie"))
    with pytest.raises(Conflict, match="no NODE"):
        create_breakpoint(editor.member, BreakpointFields("no NODE", "tie"))
    with pytest.raises(Conflict):
        change_breakpoint(editor.member, other, BreakpointFields("no node", "tie"))
    assert change_breakpoint(editor.member, first, BreakpointFields("NO node", "tie")).name == "NO node"


def test_a_workspace_has_so_many(editor, monkeypatch):
    monkeypatch.setattr(definitions, "MAX_BREAKPOINTS", 1)
    create_breakpoint(editor.member, FIELDS)
    with pytest.raises(Problem, match="at most 1"):
        create_breakpoint(editor.member, BreakpointFields("Ties", "tie"))


def test_another_query_counts_its_hits_anew_and_another_name_does_not(editor, launch, breakpoint_of):
    made = breakpoint_of("tie", run=launch(2, 3))
    AttachedBreakpoint.objects.update(hits=7, hits_since_stop=3, error="could not be evaluated")
    change_breakpoint(editor.member, made, BreakpointFields("Ties", "tie", 5))
    assert AttachedBreakpoint.objects.get().hits == 7
    change_breakpoint(editor.member, made, BreakpointFields("Ties", "margin<5"))
    attached = AttachedBreakpoint.objects.get()
    assert (attached.hits, attached.hits_since_stop, attached.error) == (0, 0, "")


def test_a_breakpoint_is_switched_and_deleted_with_its_attachments(editor, launch, breakpoint_of):
    made = breakpoint_of("tie", run=launch(2, 3))
    switch_breakpoint(editor.member, made, False)
    assert not Breakpoint.objects.get().is_enabled
    delete_breakpoint(editor.member, made)
    assert not Breakpoint.objects.exists()
    assert not AttachedBreakpoint.objects.exists()
    with pytest.raises(NotFound):
        switch_breakpoint(editor.member, made, True)
    actions = AuditEntry.objects.filter(action__startswith="breakpoint.").order_by("pk")
    assert [one.action.partition(".")[2] for one in actions] == ["created", "attached", "disabled", "deleted"]


def test_a_stored_query_that_this_version_cannot_read_says_so(editor, breakpoint_of):
    made = breakpoint_of("tie")
    Breakpoint.objects.update(query="no_such_field:1")
    made.refresh_from_db()
    assert query_error(made).startswith("column 1")


def test_viewers_reviewers_and_strangers_may_not(viewer, reviewer, stranger, breakpoint_of):
    made = breakpoint_of("tie")
    for person in (viewer, reviewer):
        for act in (
            lambda member: create_breakpoint(member, FIELDS),
            lambda member: change_breakpoint(member, made, FIELDS),
            lambda member: switch_breakpoint(member, made, False),
            lambda member: delete_breakpoint(member, made),
        ):
            with pytest.raises(Forbidden):
                act(person.member)
    elsewhere = Member.objects.get(user=stranger.user)
    with pytest.raises(NotFound):
        delete_breakpoint(elsewhere, made)
    with pytest.raises(NotFound):
        change_breakpoint(elsewhere, made, FIELDS)


def test_a_name_follows_the_query_until_somebody_types_one(editor):
    member = editor.member
    point = create_breakpoint(member, BreakpointFields("", " tie   and attempt>1"))
    assert point.name == "tie and attempt>1"
    for name, query, expected in (
        ("", "margin<5", "margin<5"),
        ("margin<5", "margin<6", "margin<6"),
        ("Narrow", "margin<7", "Narrow"),
        ("Narrow", "margin<8", "Narrow"),
        ("", "margin<9", "margin<9"),
    ):
        point = change_breakpoint(member, point, BreakpointFields(name, query))
        assert point.name == expected


def test_the_name_of_a_long_query_is_cut():
    query = " or ".join(["outcome:unschedulable"] * 10)
    assert len(name_of(query)) == BREAKPOINT_NAME_LENGTH
    assert query.startswith(name_of(query)[:-1])

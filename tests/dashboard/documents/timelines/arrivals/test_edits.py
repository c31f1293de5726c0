"""Edits of the entries in an interval."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dashboard.common.problems import Problem
from dashboard.documents.timelines.arrivals import edits
from dashboard.documents.timelines.arrivals.edits import ArrivalTarget, Repetition
from dashboard.documents.timelines.arrivals.rows import arrival_rows
from scheduler_core.simulate import timeline_from_raw
from tests.dashboard.documents.timelines.arrivals.some_entries import entry, pod, rush, target

SECOND = 1_000_000


def lines(entries):
    """Return "time action name" of entries, in order of time."""
    return [f"{row.at / SECOND:g} {row.action} {row.key.name}" for row in arrival_rows(entries)]


def large_entry():
    """Return an entry of 200 kB."""
    large = entry("1s", "a")
    large["object"]["metadata"]["annotations"] = {"a": "x" * 200_000}
    return large


def test_a_shift_moves_the_chosen_entries_and_no_other():
    edited = edits.shifted(target(rush(), start=2 * SECOND, end=3 * SECOND), SECOND // 2)
    assert lines(edited.entries) == ["1 add web-1", "2.5 add web-2", "2.5 add job-1", "4 add web-3", "10 delete web-1"]
    assert (edited.choice.start, edited.choice.end) == (2.5 * SECOND, 3.5 * SECOND)
    assert [one["object"] for one in edited.entries] == [one["object"] for one in rush()]


def test_deletions_go_along_where_that_is_asked():
    edited = edits.shifted(target(rush(), with_ends=True, end=2 * SECOND), 3 * SECOND)
    assert lines(edited.entries)[-1] == "13 delete web-1"
    twice = [entry("1s", "a"), entry("2s", "a", "delete"), entry("3s", "a"), entry("4s", "a", "delete")]
    edited = edits.shifted(target(twice, with_ends=True, start=3 * SECOND, end=4 * SECOND), SECOND)
    assert lines(edited.entries) == ["1 add a", "2 delete a", "4 add a", "5 delete a"]


def test_a_shift_of_all_stays_a_choice_of_all():
    assert edits.shifted(target(rush()), SECOND).choice.is_all


def test_no_entry_comes_before_the_beginning():
    with pytest.raises(Problem) as problem:
        edits.shifted(target(rush(), start=2 * SECOND), -3 * SECOND)
    assert problem.value.detail.startswith("entries[1].at: Pod default/web-2 ")
    with pytest.raises(Problem, match="at 0s already"):
        edits.shifted(target([entry("0s", "a")]), -1)


def test_no_entry_comes_too_late():
    with pytest.raises(Problem, match=r"entries\[0\]\.at: Pod default/web-1,"):
        edits.stretched(target([entry("8000000h", "web-1")]), 1000)


def test_a_stretch_spreads_from_the_beginning_of_the_interval():
    edited = edits.stretched(target(rush(), start=2 * SECOND, end=5 * SECOND), 2)
    assert lines(edited.entries)[1:4] == ["2 add web-2", "2 add job-1", "6 add web-3"]
    assert (edited.choice.start, edited.choice.end) == (2 * SECOND, 8 * SECOND)


def test_a_stretch_leaves_lifetimes_where_deletions_go_along():
    edited = edits.stretched(target(rush(), with_ends=True), 3)
    assert [line for line in lines(edited.entries) if "web-1" in line] == ["3 add web-1", "12 delete web-1"]


def test_removing_takes_the_deletions_along():
    assert lines(edits.without(target(rush(), with_ends=True, end=2 * SECOND)).entries) == [
        *("2 add web-2", "2 add job-1", "4 add web-3")
    ]
    edited = edits.without(target(rush(), owner="app=web"))
    assert lines(edited.entries) == ["2 add job-1"]


def test_copies_come_later_under_free_names():
    on = target([*rush(), entry("20s", "web-1-1")], with_ends=True, end=2 * SECOND)
    edited = edits.repeated(on, Repetition(2, 5 * SECOND, "{name}-#"))
    fresh = [edited.entries[place] for place in edited.fresh]
    assert lines(fresh) == ["6 add web-1-2", "11 add web-1-3", "15 delete web-1-2", "20 delete web-1-3"]
    assert [row.at for row in arrival_rows(edited.entries)] == sorted(row.at for row in arrival_rows(edited.entries))


def test_only_deletions_cannot_be_repeated():
    with pytest.raises(Problem, match="Only deletions"):
        edits.repeated(target(rush(), what="delete"), Repetition(1, 0, "x"))


def test_too_many_copies_are_refused(monkeypatch):
    monkeypatch.setattr(edits, "MAX_TIMELINE_ENTRIES", 7)
    with pytest.raises(Problem, match="the 7 allowed"):
        edits.repeated(target(rush()), Repetition(1, 0, "{name}-#"))
    with pytest.raises(Problem, match="8 are more"):
        edits._merged(target(rush()), [(0, entry("0s", "x"))] * 3, "")


def test_an_entry_is_added_behind_those_of_its_time():
    edited = edits.added(target(rush()), 2 * SECOND, "add", [pod("new")])
    assert lines(edited.entries)[:4] == ["1 add web-1", "2 add web-2", "2 add job-1", "2 add new"]
    assert edited.fresh == [3]
    backwards = [*reversed(rush())]
    assert edits.added(target(backwards), 0, "add", [pod("new")]).fresh == [len(backwards)]


@pytest.mark.parametrize(
    "edit",
    [
        lambda on: edits.shifted(on, 1),
        lambda on: edits.stretched(on, 2),
        edits.without,
        lambda on: edits.repeated(on, Repetition(1, 0, "x")),
    ],
)
def test_a_choice_of_nothing_cannot_be_edited(edit):
    with pytest.raises(Problem, match="No entry"):
        edit(target(rush(), namespace="elsewhere"))


def test_edits_that_change_nothing_are_refused():
    with pytest.raises(Problem, match="0 changes nothing"):
        edits.shifted(target(rush()), 0)
    with pytest.raises(Problem, match="1 changes nothing"):
        edits.stretched(target(rush()), 1)


@st.composite
def timelines(draw):
    """Return entries of adds, updates and deletions of a few pods, in any order of time."""
    made = []
    for _ in range(draw(st.integers(1, 12))):
        name, action = draw(st.sampled_from("abc")), draw(st.sampled_from(["add", "update", "delete"]))
        made.append(entry(f"{draw(st.integers(0, 20_000_000))}us", name, action))
    return made


@pytest.mark.slow
@given(
    entries=timelines(),
    begin=st.integers(0, 20_000_000),
    by=st.integers(1, 10**9),
    with_ends=st.booleans(),
)
def test_a_shift_and_its_opposite_give_the_same_timeline(entries, begin, by, with_ends):
    on = target(entries, with_ends, start=begin)
    if not on.choice.of(on.rows):
        return
    there = edits.shifted(on, by)
    # The page shows the entries that were shifted, so the opposite is asked of these.
    back = edits.shifted(ArrivalTarget(there.entries, arrival_rows(there.entries), there.choice, with_ends), -by)
    assert timeline_from_raw({"entries": back.entries}) == timeline_from_raw({"entries": entries})
    assert back.choice == on.choice


def test_repeated_entries_are_counted_in_bytes_too():
    large = large_entry()
    with pytest.raises(Problem, match="128 MiB"):
        edits.repeated(target([large]), Repetition(1_000, SECOND, "{name}-#"))
    assert len(edits.repeated(target([large]), Repetition(2, SECOND, "{name}-#")).entries) == 3


@pytest.mark.parametrize(
    ("edited", "sentence"),
    [
        (
            lambda: edits.shifted(target(rush(), start=2 * SECOND, end=3 * SECOND), SECOND // 2),
            "Shift 2 entries from 2s to before 3s by +0.5s",
        ),
        (
            lambda: edits.shifted(target(rush(), with_ends=True, end=2 * SECOND), 3 * SECOND),
            "Shift 2 entries from 0s to before 2s by +3s",
        ),
        (
            lambda: edits.stretched(target(rush(), start=2 * SECOND, end=5 * SECOND), 2),
            "Stretch 3 entries from 2s to before 5s by 2",
        ),
        (lambda: edits.without(target(rush(), owner="app=web")), "Remove 4 entries of app=web"),
        (
            lambda: edits.repeated(
                target(rush(), with_ends=True, end=2 * SECOND), Repetition(2, 5 * SECOND, "{name}-#")
            ),
            "Repeat 2 entries from 0s to before 2s 2 times every 5s",
        ),
        (lambda: edits.added(target(rush()), 2 * SECOND, "add", [pod("new")]), "Add at 2s: add Pod default/new"),
        (
            lambda: edits.added(target(rush()), 0, "add", [pod("a"), pod("b"), pod("c")]),
            "Add at 0s: add Pod default/a and 2 more",
        ),
    ],
)
def test_words(edited, sentence):
    assert edited().name == sentence


@pytest.mark.parametrize(
    ("edit", "sentence"),
    [
        (
            lambda: edits.shifted(target(rush(), start=2 * SECOND), -3 * SECOND),
            "entries[1].at: Pod default/web-2 at 2s, shifted by -3s, would come before 0s. Shift by -2s at the"
            " earliest, or choose a later interval.",
        ),
        (lambda: edits.shifted(target([entry("0s", "a")]), -1), "The first of these entries is at 0s already"),
        (
            lambda: edits.stretched(target([entry("8000000h", "web-1")]), 1000),
            "entries[0].at: Pod default/web-1, stretched by 1000, would come later",
        ),
        (
            lambda: edits.repeated(target(rush(), what="delete"), Repetition(1, 0, "x")),
            "Only deletions are in this choice",
        ),
        (lambda: edits.without(target(rush(), namespace="elsewhere")), "No entry is in this choice"),
        (
            lambda: edits.repeated(target([large_entry()]), Repetition(1_000, SECOND, "{name}-#")),
            "The copies would have more than 128 MiB together",
        ),
        (
            lambda: edits.repeated(target(rush()), Repetition(900, 0, "{name}-#")),
            "Copies: 900 of 5 entries make 4,505 entries, more than the 4,000 allowed",
        ),
    ],
)
def test_words_of_refusals(edit, sentence, monkeypatch):
    monkeypatch.setattr(edits, "MAX_TIMELINE_ENTRIES", 4_000)
    with pytest.raises(Problem) as raised:
        edit()
    assert sentence in raised.value.detail


def test_an_interval_that_is_pressed_together_still_holds_a_moment():
    edited = edits.stretched(target(rush(), start=2 * SECOND, end=5 * SECOND), 1e-9)
    assert (edited.choice.start, edited.choice.end) == (2 * SECOND, 2 * SECOND + 1)
    assert lines(edited.entries)[1:4] == ["2 add web-2", "2 add job-1", "2 add web-3"]

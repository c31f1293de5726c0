"""What one list of entries differs in from another one."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from dashboard.documents.timelines.arrivals.hunks import (
    EntryCounts,
    Hunk,
    applied,
    count_entries,
    hunks_between,
    sharing,
)
from dashboard.documents.timelines.arrivals.rows import StoredEntries, arrival_rows, rows_after
from tests.dashboard.documents.timelines.arrivals.some_entries import entry, rush

TIMES = st.integers(0, 6)
ENTRIES = st.builds(
    lambda at, name, action: entry(f"{at}s", name, action, app=f"app-{at}"),
    TIMES,
    st.sampled_from("abc"),
    st.sampled_from(("add", "delete")),
)


@st.composite
def edited_lists(draw):
    """Return a list of entries and another one that shares some of them, in their order, among new ones."""
    before = draw(st.lists(ENTRIES, max_size=8))
    after = []
    for one in before:
        after += draw(st.lists(ENTRIES, max_size=2))
        after += draw(st.sampled_from(([one], [], [{**one, "at": "9s"}])))
    return before, after


@settings(max_examples=40)
@given(edited_lists())
def test_hunks_make_one_list_of_the_other_and_share_what_they_leave_alone(lists):
    before, after = lists
    hunks = hunks_between(before, after)
    made = applied(before, hunks)
    assert made == after
    counts = count_entries(hunks)
    assert counts.added - counts.removed == len(after) - len(before)
    assert sum(one is other for one in before for other in made) == len(before) - counts.removed - counts.changed


@settings(max_examples=40)
@given(edited_lists())
def test_rows_after_hunks_are_those_of_the_entries(lists):
    before, after = lists
    hunks = hunks_between(before, after)
    assert rows_after(StoredEntries(before, arrival_rows(before)), hunks, after) == arrival_rows(after)


def test_an_edit_is_as_long_as_what_it_changes():
    before = [dict(one) for one in rush() * 1_000]
    after = [*before[:7], {**before[7], "at": "3s"}, *before[8:]]
    assert hunks_between(before, after) == [Hunk(7, 1, [after[7]])]
    assert hunks_between(before, before) == []
    assert count_entries(hunks_between(before, before[:-2])) == EntryCounts(0, 0, 2)


def test_entries_that_were_typed_again_are_those_from_before():
    before = rush()
    after = sharing(before, [entry("0s", "first"), *rush()])
    assert [one is other for one, other in zip(before, after[1:], strict=True)] == [True] * len(before)
    assert count_entries(hunks_between(before, after)) == EntryCounts(1, 0, 0)

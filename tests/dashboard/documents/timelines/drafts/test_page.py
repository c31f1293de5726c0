"""A draft of a timeline as its pages show it."""

from __future__ import annotations

from dashboard.documents.timelines.arrivals.hunks import EntryCounts
from dashboard.documents.timelines.arrivals.rows import StoredEntries, arrival_rows
from dashboard.documents.timelines.drafts.page import changed_entries, changed_lines, entry_chips
from dashboard.documents.timelines.drafts.state import DraftedEntries
from tests.dashboard.documents.timelines.arrivals.some_entries import entry, rush


def drafted(before, after):
    return DraftedEntries(*(StoredEntries(one, arrival_rows(one)) for one in (before, after)))


def test_the_chips_count_entries_by_what_happened_to_them():
    shown = [(chip.mark, chip.label, chip.address) for chip in entry_chips(EntryCounts(1, 0, 2_000))]
    assert shown == [("+", "1 entry", "what=added"), ("\N{MINUS SIGN}", "2,000 entries", "what=removed")]


def test_changed_entries_are_shown_before_and_after():
    before = rush()
    after = [*before[:1], {**before[1], "at": "7s"}, *before[2:4], entry("30s", "new")]
    lines = changed_lines(drafted(before, after), "", {}, 50).items
    assert [(one.what, one.times, one.row.key.name) for one in lines] == [
        ("changed", ["2s", "7s"], "web-2"),
        ("changed", ["10s", "30s"], "new"),
    ]
    removed = changed_lines(drafted(before, before[:3]), "removed", {}, 50)
    assert [line.row.key.name for line in removed.items] == ["web-3", "web-1"]
    assert changed_lines(drafted(before, before[:3]), "added", {}, 50).items == []
    assert len(changed_entries(drafted(before, before[:3]))) == 2

"""Rows of a stretch begin empty, and in lists of their own."""

from __future__ import annotations

from scheduler_core.recording.rows import SummaryRows, VictimRow


def test_empty_rows_share_no_list_with_others() -> None:
    one, other = SummaryRows.empty(), SummaryRows.empty()
    one.victims.append(VictimRow(*range(len(VictimRow._fields))))
    assert [len(rows) for rows in one] == [0, 0, 0, 0, 0, 1]
    assert [len(rows) for rows in other] == [0] * 6

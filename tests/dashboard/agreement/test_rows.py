"""Messages in parts: what is equal, what differs, and the rest as it was written."""

from __future__ import annotations

from dashboard.agreement.rows import marked


def test_reasons_are_marked_where_they_stand_and_nothing_is_lost():
    text = "0/3: 1 Insufficient cpu, 2 Too many. preemption: 0/3: 3 No."
    parts = marked(text, [(2, "Too many", False), (1, "Insufficient cpu", True), (0, "gone", False), (3, "No", True)])
    assert "".join(part for part, _ in parts) == text
    assert [part for part in parts if part[1]] == [
        ("1 Insufficient cpu", "eq"),
        ("2 Too many", "ne"),
        ("3 No", "eq"),
    ]


def test_a_reason_inside_of_another_is_marked_once():
    assert marked("1 ab", [(1, "ab", True), (1, "a", False)]) == [("1 ab", "eq")]
    assert marked("", [(1, "a", True)]) == []

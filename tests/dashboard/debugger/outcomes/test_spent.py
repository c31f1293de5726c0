"""Where waits went, in words and as bars."""

from __future__ import annotations

from dashboard.debugger.outcomes.spent import _PARTS, spent_bar, spent_table
from scheduler_core.explain.outcomes.model import PodOutcome, WaitOfPriority
from scheduler_core.explain.outcomes.records import BACKOFF, BINDING, PARTS

SECOND = 1_000_000


def spent(**parts):
    return tuple(parts.get(part, 0) for part in PARTS)


def test_each_part_has_its_words():
    assert set(_PARTS) == set(PARTS)


def test_a_pod_has_the_parts_that_took_time_side_by_side():
    bar = spent_bar(PodOutcome("a/p", 0, 0, 0, still_waits=True, spent=spent(active=SECOND, unschedulable=3 * SECOND)))
    assert (bar.wait, bar.still) == ("4 s", True)
    assert [(part.name, part.text, part.left, part.width) for part in bar.parts] == [
        ("in activeQ", "1 s", "0.00%", "25.00%"),
        ("unschedulable", "3 s", "25.00%", "75.00%"),
    ]


def test_a_pod_that_did_not_wait_has_no_bar():
    assert spent_bar(PodOutcome("a/p", 0, 0, 0)) is None
    assert spent_bar(PodOutcome("a/p", 0, 0, 0, spent=spent())) is None


def test_the_table_has_the_parts_that_any_priority_has():
    table = spent_table(
        [
            WaitOfPriority(1_000, "high", 2, spent(**{BINDING: 10_000})),
            WaitOfPriority(0, "", 1, spent(**{BACKOFF: SECOND, BINDING: 5_000})),
        ]
    )
    assert [part.name for part in table.heads] == ["in backoff", "binding"]
    assert [(row.name, row.pods, row.cells) for row in table.rows] == [
        ("high (1,000)", 2, ["", "10 ms"]),
        ("0", 1, ["1 s", "5 ms"]),
    ]
    assert spent_table([]) is None

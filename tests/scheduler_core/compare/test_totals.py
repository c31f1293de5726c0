"""Figures of a side: counts by outcome, and waits that occurred."""

from __future__ import annotations

import pytest

from scheduler_core.compare.pods import PodEnd, WaitTotals, side_totals


def end(outcome: str = "bound", wait: int = -1) -> PodEnd:
    return PodEnd(outcome, "", wait, "", 1, 1)


def test_pods_are_counted_by_outcome_in_the_order_of_kinds_without_those_that_do_not_occur() -> None:
    totals = side_totals([end("bound"), end("pending"), end("bound"), end("lost")], 12)
    assert (totals.cycles, totals.pods) == (12, 4)
    assert list(totals.outcomes.items()) == [("pending", 1), ("lost", 1), ("bound", 2)]


@pytest.mark.parametrize(
    ("waits", "expected"),
    [
        pytest.param([], WaitTotals(), id="nothing was bound"),
        pytest.param([7], WaitTotals(1, 7, 7, 7), id="one"),
        pytest.param([4, 1, 3, 2], WaitTotals(4, 2, 4, 4), id="the lower of two in the middle"),
        pytest.param(range(100, 0, -1), WaitTotals(100, 50, 95, 100), id="a hundred"),
        pytest.param([0, 0, -1, 5], WaitTotals(3, 0, 5, 5), id="a pod that was not bound has no wait"),
    ],
)
def test_waits_are_the_smallest_that_so_many_percent_did_not_exceed(waits: list[int], expected: WaitTotals) -> None:
    assert side_totals([end(wait=wait) for wait in waits], 0).waits == expected

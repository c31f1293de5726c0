"""Figures of a side: counts by outcome, and waits that occurred."""

from __future__ import annotations

import pytest

from scheduler_core.compare.pods import AllWaits, PodEnd, Wait, WaitTotals, side_totals


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


@pytest.mark.parametrize(
    ("ends", "expected"),
    [
        pytest.param([], AllWaits(), id="nothing came"),
        pytest.param([(9, -1)], AllWaits(0, Wait(9), Wait(9), Wait(9)), id="bound"),
        pytest.param([(9, -1), (-1, -1)], AllWaits(0, Wait(9), Wait(9), Wait(9)), id="one left without a node"),
        pytest.param(
            [(1, -1), (2, -1), (-1, 7)],
            AllWaits(1, Wait(2), Wait(7, goes_on=True), Wait(7, goes_on=True)),
            id="one still waits, longer than the median",
        ),
        pytest.param(
            [(5, -1), (6, -1), (-1, 1)],
            AllWaits(1, *[Wait(n, goes_on=True) for n in (5, 6, 6)]),
            id="one still waits that may come to be above all",
        ),
    ],
)
def test_waits_of_all_pods_count_those_that_go_on_so_far(ends: list[tuple[int, int]], expected: AllWaits) -> None:
    pods = [PodEnd("bound" if wait >= 0 else "pending", "", wait, "", 1, 1, so_far) for wait, so_far in ends]
    assert side_totals(pods, 0).all_waits == expected

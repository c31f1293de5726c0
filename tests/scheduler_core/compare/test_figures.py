"""Which of two figures is the better one, and which cannot be compared."""

from __future__ import annotations

import pytest

from scheduler_core.compare.figures import BETTER, NEITHER, SAME, UNKNOWN, WORSE, figure_groups, shorter
from scheduler_core.compare.pods import PodEnd, PodsApart, Wait, pods_apart, side_totals
from scheduler_core.compare.resources import ResourceDifference, ResourceUse

SECOND = 1_000_000


def bound(seconds: int) -> PodEnd:
    return PodEnd("bound", "n", seconds * SECOND, "", 1, 1)


def pending(seconds: int) -> PodEnd:
    return PodEnd("pending", "", -1, "", 1, 1, seconds * SECOND)


def figures(a: list[PodEnd], b: list[PodEnd]) -> dict[tuple[str, str], str]:
    """Return the verdict of each figure by its group and name; pods are the same where their places are."""
    ends = [{(f"d/p-{n}", "", 0): end for n, end in enumerate(side)} for side in (a, b)]
    use = [ResourceUse(0.5, 0.1, 0.5, 0.1), ResourceUse(0.6, 0.2, 0.6, 0.1)]
    totals = side_totals(a, 5), side_totals(b, 6)
    groups = figure_groups(totals, [ResourceDifference("cpu", *use)], pods_apart(*ends))
    assert all(bool(group.note) == any(one.verdict == UNKNOWN for one in group.figures) for group in groups)
    return {(group.title, one.name): one.verdict for group in groups for one in group.figures}


def test_pods_that_only_b_binds_make_nothing_of_it_worse() -> None:
    verdicts = figures([bound(1), pending(300), pending(300)], [bound(1), bound(40), bound(160)])
    assert WORSE not in verdicts.values()
    assert verdicts["Outcome", "Pending at the end"] == BETTER
    assert [verdicts["Wait until bound", name] for name in ("Median", "95 %", "Longest")] == [UNKNOWN] * 3
    everybody = "Wait of all pods, so far"
    assert [verdicts[everybody, name] for name in ("Still waiting", "Median", "Longest")] == [BETTER] * 3
    assert [verdicts["cpu requested", name] for name in ("Balance", "Packing", "Fragmentation")] == [UNKNOWN] * 3


def test_the_same_pods_are_compared() -> None:
    verdicts = figures([bound(1), bound(9)], [bound(2), bound(8)])
    assert verdicts["Wait until bound", "Median"] == WORSE
    assert verdicts["Wait until bound", "Longest"] == BETTER
    assert verdicts["cpu requested", "Balance"] == WORSE
    assert verdicts["cpu requested", "Packing"] == BETTER
    assert verdicts["cpu requested", "Fragmentation"] == SAME
    assert verdicts["Outcome", "Cycles"] == NEITHER


def test_the_other_way_round_better_is_worse() -> None:
    sides = [bound(1), pending(300)], [bound(1), bound(160)]
    mirrored = {BETTER: WORSE, WORSE: BETTER}
    there, back = figures(*sides), figures(*sides[::-1])
    assert back == {name: mirrored.get(verdict, verdict) for name, verdict in there.items()}


@pytest.mark.parametrize(
    ("a", "b", "verdict"),
    [
        (Wait(5), Wait(3), BETTER),
        (Wait(5), Wait(5), SAME),
        (Wait(5, goes_on=True), Wait(3), BETTER),
        (Wait(5, goes_on=True), Wait(9), UNKNOWN),
        (Wait(5), Wait(9, goes_on=True), WORSE),
        (Wait(5), Wait(3, goes_on=True), UNKNOWN),
        (Wait(9, goes_on=True), Wait(3, goes_on=True), UNKNOWN),
        (Wait(), Wait(3), UNKNOWN),
        (Wait(), Wait(), SAME),
    ],
)
def test_a_wait_that_goes_on_is_at_least_what_it_is(a: Wait, b: Wait, verdict: str) -> None:
    assert shorter(a, b) == verdict


def test_pods_that_are_apart_are_counted_by_side() -> None:
    key = ("d/p", "", 0)
    assert pods_apart({key: bound(1)}, {key: pending(1)}) == PodsApart((1, 0), (1, 0))
    assert pods_apart({key: bound(1)}, {key: bound(2)}) == PodsApart()
    assert pods_apart({}, {key: PodEnd("lost", "n", 3, "", 1, 1)}).swapped() == PodsApart((1, 0), (0, 0))

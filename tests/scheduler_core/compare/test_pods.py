"""The group under which a pod that differs is listed, and its mirror."""

from __future__ import annotations

import pytest

from scheduler_core.compare import pods
from scheduler_core.compare.pods import PodEnd, pod_differences


def end(outcome: str = "bound", node: str = "n", wait: int = 5, evicted: str = "", attempts: int = 1) -> PodEnd:
    return PodEnd(outcome, node, wait, evicted, attempts, 1)


BOUND, PENDING = end(), end("pending", "", -1)
EVICTED = end("preempted", "n", 5, "preempted by default/b")


@pytest.mark.parametrize(
    ("a", "b", "group", "fields"),
    [
        (BOUND, PENDING, pods.PLACED_A, ("outcome", "node", "wait")),
        (end("completed"), end("gated", ""), pods.PLACED_A, ("outcome", "node")),
        (EVICTED, BOUND, pods.EVICTED_A, ("outcome", "evicted")),
        (end("lost", evicted="lost with node n"), PENDING, pods.EVICTED_A, ("outcome", "node", "wait", "evicted")),
        (BOUND, end(node="m"), pods.MOVED, ("node",)),
        (BOUND, None, pods.ONLY_A, ()),
        (BOUND, end("completed"), pods.OTHERWISE, ("outcome",)),
        (PENDING, end("gated", "", -1), pods.OTHERWISE, ("outcome",)),
        (EVICTED, end("preempted", evicted="preempted by c/d"), pods.EVICTED_OTHERWISE, ("evicted",)),
        (BOUND, end(wait=6), pods.WAITED, ("wait",)),
    ],
)
def test_the_group_of_a_pod_and_of_the_swapped_sides(a, b, group, fields) -> None:
    key = ("default/a", "", 0)
    sides = [{key: one} if one is not None else {} for one in (a, b)]
    (difference,), (back,) = pod_differences(*sides), pod_differences(*sides[::-1])
    assert (difference.group, difference.fields, difference.a, difference.b) == (group, fields, a, b)
    assert back == difference.swapped()


def test_attempts_alone_make_no_difference() -> None:
    key = ("default/a", "", 0)
    assert pod_differences({key: end(attempts=1)}, {key: end(attempts=2)}) == []


def test_every_group_has_a_mirror_that_is_a_group() -> None:
    assert {pods.MIRRORED.get(group, group) for group in pods.GROUPS} == set(pods.GROUPS)


def test_all_pods_are_those_that_differ_and_then_the_same_ones_by_name() -> None:
    there, gone = PodEnd("bound", "n", 0, "", 1, 1), PodEnd("pending", "", -1, "", 1, 1)
    a = {("x/c", "", 0): there, ("x/b", "", 0): there, ("x/a", "", 0): there, ("x/d", "", 0): gone}
    b = {**a, ("x/b", "", 0): gone, ("x/e", "", 0): gone}
    every = pods.listed_pods(a, b)
    assert every[:2] == pod_differences(a, b)
    assert [(one.pod, one.group, one.fields) for one in every[2:]] == [
        (name, pods.SAME, ()) for name in ("x/a", "x/c", "x/d")
    ]
    assert all(one.a == one.b for one in every[2:])


def test_how_long_a_pod_waits_so_far_makes_no_difference() -> None:
    key = ("default/a", "", 0)
    shorter, longer = (PodEnd("pending", "", -1, "", 1, 1, so_far) for so_far in (5, 9))
    assert pod_differences({key: shorter}, {key: longer}) == []


def test_groups_say_by_how_many_they_raise_the_pods_without_a_node() -> None:
    deleted = end("deleted", "", -1)
    a = {"x/newly": BOUND, "x/placed": PENDING, "x/gone": PENDING, "x/same": PENDING, "x/was": deleted}
    b = {"x/newly": PENDING, "x/placed": BOUND, "x/gone": deleted, "x/same": end("gated", "", -1), "x/made": PENDING}
    sides = [{(name, "", 0): one for name, one in side.items()} for side in (a, b)]
    differences = pod_differences(*sides)
    raised = pods.unplaced_by_group(differences)
    assert raised == {pods.PLACED_A: 1, pods.PLACED_B: -1, pods.ONLY_B: 1, pods.OTHERWISE: -1}
    unplaced = [sum(one.is_unplaced for one in side.values()) for side in (a, b)]
    assert sum(raised.values()) == unplaced[1] - unplaced[0]

"""Attempts as a recording has them, and each pod's first that ends otherwise."""

from __future__ import annotations

from scheduler_core.compare.upgrade.attempts import attempts_of, first_differences, messages_of
from tests.scheduler_core.compare.upgrade.clusters import inputs_of, node, pod, recorded


def test_attempts_say_who_was_bound_where_and_who_has_to_go():
    placed = pod("low-0", "3", "1Gi", nodeName="n")
    placed["status"] = {"phase": "Running", "startTime": "2025-01-01T00:00:00Z"}
    objects = [node("n"), placed, pod("high-0", "3", "1Gi", priority=10), pod("high-1", "40", "1Gi")]
    reader = recorded(inputs_of(objects))
    first, *later = attempts_of(reader)
    assert (first.pod, first.attempt, first.node, first.nominated, first.victims) == (
        *("shop/high-0", 1, "", "n"),
        frozenset({"shop/low-0"}),
    )
    assert [(one.node, one.attempt) for one in later if one.pod == "shop/high-0"] == [("n", 2)]
    assert all(message.startswith("0/1 nodes are available") for message in messages_of(reader))


def test_the_first_difference_of_each_pod_in_the_order_of_a():
    small, large = [node("n"), node("m", cpu="1")], [node("n"), node("m", cpu="8")]
    pods = [pod(f"p-{number}", "1", "1Gi") for number in range(6)]
    a, b = (attempts_of(recorded(inputs_of(nodes + pods))) for nodes in (small, large))
    differences = first_differences(a, b)
    assert len({one.either.pod for one in differences}) == len(differences) > 0
    assert [one.pair.a for one in differences] == sorted(one.pair.a for one in differences)
    assert first_differences(a, a) == []

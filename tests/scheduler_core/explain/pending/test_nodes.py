"""Nominated pods count as if they were placed."""

from __future__ import annotations

from scheduler_core.testing.builders import make_node, make_pod
from tests.scheduler_core.explain.pending.pending_pods import why_pending_of


def test_nominated_pods_that_count_take_of_what_is_free() -> None:
    node, low = make_node("n", cpu="4"), make_pod("low", cpu="3", node_name="n")
    high = make_pod("high", cpu="3", priority=100)
    answer = why_pending_of([node], [low, high, make_pod("mid", cpu="2", priority=10)], "mid", attempt=1)
    (group,) = answer.groups
    assert group.free is not None
    assert (group.free.resource, group.free.asked, group.free.most_free) == ("cpu", 2000, -2000)
    assert (group.title, group.detail) == ("No cpu left", "0 free, short of 4")
    assert answer.because.next_step == "Free cpu on one of these nodes, or ask for less"

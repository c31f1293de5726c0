"""What a node lacks, with the nominated pods that count; each expectation is worked out by hand."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scheduler_core.api.config import Profile, SchedulerConfiguration
from scheduler_core.explain import NodeSituation, checked_requests, counts_against, shortfalls
from scheduler_core.testing.builders import make_node, make_pod

if TYPE_CHECKING:
    from scheduler_core.api.objects import Node


def situation(node: Node, cpu: int = 0, pods: int = 0, promised: int = 0) -> NodeSituation:
    """The node with pods on it that request ``cpu``, and a nominated pod where ``promised`` is more than 0."""
    return NodeSituation(node, {"cpu": cpu}, pods, {"cpu": promised}, int(promised > 0))


def test_a_shortfall_says_how_much_is_missing() -> None:
    (short,) = shortfalls({"cpu": 6000, "memory": 0}, situation(make_node("n", cpu="8"), cpu=2500, pods=3))
    assert (short.resource, short.missing, short.asked, short.free) == ("cpu", 500, 6000, 5500)
    assert not short.is_too_small


def test_a_node_that_is_too_small_says_so() -> None:
    (short,) = shortfalls({"cpu": 6000}, situation(make_node("n", cpu="4")))
    assert (short.is_too_small, short.asked, short.allocatable) == (True, 6000, 4000)


def test_a_full_node_is_short_of_pods() -> None:
    (short,) = shortfalls({}, situation(make_node("n", pods=2), pods=2))
    assert (short.resource, short.missing) == ("pods", 1)


def test_shortfalls_come_in_one_order_whatever_the_order_of_requests() -> None:
    names = ["memory", "example.com/b", "cpu", "example.com/a", "ephemeral-storage"]
    expected = ["pods", "cpu", "memory", "ephemeral-storage", "example.com/a", "example.com/b"]
    for requests in (names, names[::-1]):
        shortages = shortfalls(dict.fromkeys(requests, 1 << 50), situation(make_node("n", pods=0)))
        assert [short.resource for short in shortages] == expected


def test_nominated_pods_take_of_what_is_free() -> None:
    (short,) = shortfalls({"cpu": 4000}, situation(make_node("n", cpu="8"), cpu=3000, promised=2000))
    assert (short.missing, short.asked, short.free, short.promised) == (1000, 4000, 5000, 2000)


def test_freeing_does_not_help_where_nominated_pods_leave_too_little() -> None:
    (short,) = shortfalls({"cpu": 2000}, situation(make_node("n", cpu="4"), cpu=4000, promised=3000))
    assert (short.missing, short.asked, short.free, short.promised) == (5000, 2000, 0, 3000)


def test_nominated_pods_count_as_pods_too() -> None:
    (short,) = shortfalls({"cpu": 1}, situation(make_node("n", cpu="4", pods=2), cpu=100, pods=1, promised=100))
    assert (short.resource, short.missing) == ("pods", 1)


def test_other_pods_of_equal_or_higher_priority_count_against_a_pod() -> None:
    pod = make_pod("p", priority=5)
    assert counts_against(pod, make_pod("other", priority=5))
    assert counts_against(pod, make_pod("other", priority=6))
    assert not counts_against(pod, make_pod("other", priority=4))
    assert not counts_against(pod, make_pod("p", priority=5))


def test_only_requests_that_the_pod_s_profile_compares_with_nodes_are_checked() -> None:
    args = {"ignoredResources": ["example.com/gpu"], "ignoredResourceGroups": ["fpga.example.com"]}
    profiles = (
        Profile(scheduler_name="usual"),
        Profile(scheduler_name="lax", plugin_config={"NodeResourcesFit": args}),
    )
    configuration = SchedulerConfiguration(profiles=profiles)
    requests = {"cpu": "1", "example.com/gpu": "2", "fpga.example.com/a": "1", "example.com/disk": "3"}
    usual, lax = (make_pod("p", extended=requests, scheduler_name=profile.scheduler_name) for profile in profiles)
    left = {"cpu": 1000, "example.com/disk": 3}
    assert checked_requests(lax, configuration) == left
    assert checked_requests(usual, configuration) == {**left, "example.com/gpu": 2, "fpga.example.com/a": 1}
    assert checked_requests(make_pod("p", extended=requests), SchedulerConfiguration()).keys() == requests.keys()

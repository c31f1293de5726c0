"""What a node lacks, with the nominated pods that count; each expectation is worked out by hand."""

from __future__ import annotations

import random

from scheduler_core.api.config import Profile, SchedulerConfiguration
from scheduler_core.api.objects import Node
from scheduler_core.explain import NodeSituation, Shortfall, checked_requests, counts_against, shortfalls
from scheduler_core.testing.builders import make_node, make_pod


def situation(node: Node, cpu: int = 0, pods: int = 0, promised: int = 0) -> NodeSituation:
    """The node with pods on it that request ``cpu``, and a nominated pod where ``promised`` is more than 0."""
    return NodeSituation(node, {"cpu": cpu}, pods, {"cpu": promised}, int(promised > 0))


def test_a_shortfall_says_how_much_is_missing() -> None:
    (short,) = shortfalls({"cpu": 6000, "memory": 0}, situation(make_node("n", cpu="8"), cpu=2500, pods=3))
    assert short.text() == "short of 0.5 cpu: needs 6, 5.5 free"
    assert not short.is_too_small


def test_a_node_that_is_too_small_says_so() -> None:
    (short,) = shortfalls({"cpu": 6000}, situation(make_node("n", cpu="4")))
    assert short.text() == "too small: needs 6 cpu, has 4 in all"


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
    assert short.text() == "short of 1 cpu: needs 4, 5 free, 2 promised to nominated pods"
    assert short.remedy() == "make room for 1 cpu on it"


def test_freeing_does_not_help_where_nominated_pods_leave_too_little() -> None:
    (short,) = shortfalls({"cpu": 2000}, situation(make_node("n", cpu="4"), cpu=4000, promised=3000))
    assert short.text() == "short of 5 cpu: needs 2, 0 free, 3 promised to nominated pods"
    assert short.remedy() == "let its nominated pods go elsewhere, and make room for 2 cpu"


def test_nominated_pods_count_as_pods_too() -> None:
    (short,) = shortfalls({"cpu": 1}, situation(make_node("n", cpu="4", pods=2), cpu=100, pods=1, promised=100))
    assert (short.resource, short.missing) == ("pods", 1)


def test_other_pods_of_equal_or_higher_priority_count_against_a_pod() -> None:
    pod = make_pod("p", priority=5)
    assert counts_against(pod, make_pod("other", priority=5))
    assert counts_against(pod, make_pod("other", priority=6))
    assert not counts_against(pod, make_pod("other", priority=4))
    assert not counts_against(pod, make_pod("p", priority=5))


def test_a_remedy_mends_its_shortfall() -> None:
    draw = random.Random(7)
    kinds = set()
    for _ in range(2_000):
        whole, needs = draw.randint(1, 8), draw.randint(1, 10)
        node, placed, promised = make_node("n", cpu=str(whole)), draw.randint(0, whole), draw.choice((0, 0, 1, 3))
        for short in shortfalls({"cpu": needs * 1000}, situation(node, placed * 1000, promised=promised * 1000)):
            kinds.add(short.remedy().split()[0])
            mended = _mended(short, needs, NodeSituation(node, {"cpu": placed * 1000}, 1, {"cpu": promised * 1000}))
            assert mended == (), short
    assert kinds == {"ask", "make", "let"}


def _mended(short: Shortfall, needs: int, before: NodeSituation) -> tuple[Shortfall, ...]:
    """What is missing still when the remedy's sentence was followed."""
    words, requests, placed, promised = (
        short.remedy().split(),
        {"cpu": needs * 1000},
        before.requested["cpu"],
        before.promised,
    )
    if words[:4] == ["ask", "for", "at", "most"]:
        requests = {"cpu": int(words[4]) * 1000}
    elif words[0] == "ask":
        return () if short.free <= short.promised else (short,)
    elif words[0] == "make":
        placed -= int(words[3]) * 1000
    else:
        promised, placed = {}, placed - (int(words[-2]) * 1000 if words[-1] == "cpu" else 0)
    return shortfalls(requests, NodeSituation(before.node, {"cpu": placed}, 1, promised)) if placed >= 0 else (short,)


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


def test_amounts_of_one_sentence_are_in_one_unit():
    cpu = Shortfall("cpu", needs=3000, free=800, allocatable=4000)
    assert cpu.text() == "short of 2.2 cpu: needs 3, 0.8 free"
    memory = Shortfall("memory", needs=6 << 30, free=1536 << 20, allocatable=8 << 30)
    assert memory.text() == "short of 4.5Gi memory: needs 6Gi, 1.5Gi free"
    odd = Shortfall("memory", needs=6 << 30, free=(1536 << 20) + 1, allocatable=8 << 30)
    assert odd.text() == "short of 4831838207 memory: needs 6442450944, 1610612737 free"
    assert Shortfall("nvidia.com/gpu", 2, 1, 8).text() == "short of 1 nvidia.com/gpu: needs 2, 1 free"

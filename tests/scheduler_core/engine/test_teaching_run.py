"""The teaching run shows what it promises; each expectation follows from Kubernetes' documented behaviour."""

from __future__ import annotations

from collections import Counter, defaultdict

import pytest

from scheduler_core.recording import events as ev
from scheduler_core.simulate import RunSession
from tests.scheduler_core.engine.scenarios import teaching


@pytest.fixture(scope="module")
def events() -> list[ev.AnyEvent]:
    recorded: list[ev.AnyEvent] = []
    session = RunSession.start(teaching())
    session.simulation.observers.append(recorded.append)
    session.advance()
    return recorded


@pytest.fixture(scope="module")
def bound(events: list[ev.AnyEvent]) -> dict[str, str]:
    return {e.pod: e.node for e in events if isinstance(e, ev.Bound)}


def attempts(events: list[ev.AnyEvent], pod: str) -> list[ev.CycleFinished]:
    return [e for e in events if isinstance(e, ev.CycleFinished) and e.pod == pod]


def test_there_are_at_most_forty_pods(events: list[ev.AnyEvent]) -> None:
    assert len({e.pod for e in events if isinstance(e, ev.QueueMove)}) <= 40


def test_web_pods_spread_over_the_zones(bound: dict[str, str]) -> None:
    zones = Counter(node.split("-")[1] for pod, node in bound.items() if pod.startswith("shop/web-"))
    assert sorted(zones.values()) == [2, 2, 2]


def test_api_pods_never_share_a_node(events: list[ev.AnyEvent]) -> None:
    on: dict[str, list[str]] = defaultdict(list)
    for e in events:
        if isinstance(e, ev.Bound) and e.pod.startswith("shop/api-"):
            assert not on[e.node], f"{e.pod} joined {on[e.node]}"
            on[e.node].append(e.pod)
        elif isinstance(e, ev.ObjectChanged) and e.action == "deleted":
            on = defaultdict(list, {node: [p for p in pods if p != e.key] for node, pods in on.items()})


def test_taints_and_selectors_are_kept(bound: dict[str, str]) -> None:
    assert bound["lab/train-0"] == "gpu-c-2"
    assert bound["data/cache-0"] == "ssd-b-2"
    assert [pod for pod, node in bound.items() if node == "gpu-c-2"] == ["lab/train-0"]


def test_a_node_added_later_wakes_the_pod_that_waits_for_it(events: list[ev.AnyEvent], bound: dict[str, str]) -> None:
    woken = [e for e in events if isinstance(e, ev.QueueMove) and e.pod == "data/index-0" and e.event == "NodeAdd"]
    assert [e.plugin for e in woken] == ["NodeAffinity"]
    assert bound["data/index-0"] == "nvme-a-3"


def test_the_gated_pod_waits_for_its_gate(events: list[ev.AnyEvent]) -> None:
    moves = [e for e in events if isinstance(e, ev.QueueMove) and e.pod == "lab/quota-report"]
    assert [e.target for e in moves[:2]] == ["gated", "active"]
    assert moves[0].gated_by == "SchedulingGates"
    assert moves[1].at == 180_000_000


def test_preemption_avoids_the_budget_and_takes_lower_priorities_only(events: list[ev.AnyEvent]) -> None:
    (decision,) = [
        e for e in events if isinstance(e, ev.PreemptionDecided) and e.pod == "data/db-primary-0" and e.candidates
    ]
    violations = {c.node: c.violations for c in decision.candidates}
    assert max(violations.values()) >= 1
    assert decision.nominated_node is not None
    assert violations[decision.nominated_node] == 0
    assert all(c.highest_priority < 1000 for c in decision.candidates)


def test_the_pending_pod_tells_several_reasons(events: list[ev.AnyEvent]) -> None:
    last = attempts(events, "data/warehouse-0")[-1]
    assert last.outcome == "unschedulable"
    for part in (
        "untolerated taint",
        "didn't match Pod's node affinity/selector",
        "Insufficient cpu",
        "preemptionPolicy=Never",
    ):
        assert part in last.message


def test_pods_back_off_when_events_wake_them_soon(events: list[ev.AnyEvent]) -> None:
    assert any(isinstance(e, ev.QueueMove) and e.target == "backoff" for e in events)


def test_the_run_ends_with_a_reason(events: list[ev.AnyEvent]) -> None:
    last = events[-1]
    assert isinstance(last, ev.RunFinished)
    assert last.pending == 2

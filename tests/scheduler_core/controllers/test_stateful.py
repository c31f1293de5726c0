"""StatefulSets; second source: stateful_set_control.go (processReplica), stateful_set_utils.go (names, claims)."""

from __future__ import annotations

import pytest

from scheduler_core.api.objects import Pod, Volume
from scheduler_core.controllers.decision import WorkloadProgress
from scheduler_core.controllers.registry import decide
from tests.scheduler_core.controllers.controller_helpers import TEMPLATE, made, pod_of, situation, workload

RUNS, WAITS, LEAVES, GONE = "runs", "waits", "leaves", "gone"


def pods_in(states: list[str]) -> list[Pod]:
    owner = workload("StatefulSet")
    return [
        pod_of(owner, f"web-{i}", node_name="" if state == WAITS else "n", leaves=state == LEAVES)
        for i, state in enumerate(states)
        if state != GONE
    ]


@pytest.mark.parametrize(
    ("states", "ordered", "parallel"),
    [
        pytest.param([RUNS, RUNS, RUNS], [], [], id="all run"),
        pytest.param([RUNS, GONE, RUNS], ["web-1"], ["web-1"], id="one is gone"),
        pytest.param([RUNS, LEAVES, RUNS], [], [], id="one terminates: its name is not free"),
        pytest.param([GONE, RUNS, GONE], ["web-0"], ["web-0", "web-2"], id="the first of two that are gone"),
        pytest.param([WAITS, RUNS, GONE], [], ["web-2"], id="the first waits for a node"),
        pytest.param([LEAVES, RUNS, GONE], [], ["web-2"], id="the first terminates"),
        pytest.param([GONE, GONE, GONE], ["web-0"], ["web-0", "web-1", "web-2"], id="none is there"),
    ],
)
def test_ordinals_are_made_in_order_unless_the_set_is_parallel(
    states: list[str], ordered: list[str], parallel: list[str]
) -> None:
    pods = pods_in(states)
    assert made(workload("StatefulSet"), situation(*pods)) == ordered
    assert made(workload("StatefulSet", is_parallel=True), situation(*pods)) == parallel


def test_the_second_pod_of_a_name_has_another_uid_and_the_same_claims() -> None:
    template = TEMPLATE.__class__(name="", namespace="shop", volumes=(Volume(name="tmp", source="emptyDir"),))
    owner, progress = workload("StatefulSet", 1, template=template, claims=("data",)), WorkloadProgress()
    first, second = (decide(owner, progress, situation()).make[0] for _ in range(2))
    assert first.name == second.name == "web-0"
    assert first.uid != second.uid
    assert [(v.name, v.claim_name) for v in second.volumes] == [("data", "data-web-0"), ("tmp", "")]
    assert second.labels["statefulset.kubernetes.io/pod-name"] == "web-0"


def test_ordinals_begin_where_the_set_says() -> None:
    assert made(workload("StatefulSet", 2, first_ordinal=5, is_parallel=True), situation()) == ["web-5", "web-6"]


def test_a_name_that_another_pod_has_stops_the_set() -> None:
    assert made(workload("StatefulSet", 2), situation(taken=["shop/web-0"])) == []

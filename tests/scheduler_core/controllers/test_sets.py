"""Sets of pods.

Second source: replica_set.go (manageReplicas, FilterActivePods), stateful_set_control.go (processReplica)
and stateful_set_utils.go (names, claims).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from scheduler_core.api.objects import Pod, Volume
from scheduler_core.controllers.decision import WorkloadProgress
from scheduler_core.controllers.registry import decide
from tests.scheduler_core.controllers.controller_helpers import TEMPLATE, made, pod_of, situation, workload

if TYPE_CHECKING:
    from scheduler_core.api.objects import Pod

KINDS = ["ReplicaSet", "ReplicationController"]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("active", "terminating", "count"),
    [
        pytest.param(3, 0, 0, id="all are there"),
        pytest.param(2, 0, 1, id="one is gone"),
        pytest.param(2, 1, 1, id="one terminates and is replaced before it is gone"),
        pytest.param(0, 3, 3, id="all terminate"),
        pytest.param(4, 0, 0, id="more than asked for make none, and none is removed"),
        pytest.param(4, 2, 0, id="more than asked for, some leave"),
    ],
)
def test_as_many_active_pods_as_replicas(kind: str, active: int, terminating: int, count: int) -> None:
    owner = workload(kind)
    pods = [pod_of(owner, f"a-{i}") for i in range(active)]
    pods += [pod_of(owner, f"t-{i}", leaves=True) for i in range(terminating)]
    decision = decide(owner, WorkloadProgress(), situation(*pods))
    assert (len(decision.make), decision.remove) == (count, [])


def test_pods_are_like_the_template_and_name_their_owner() -> None:
    owner = workload("ReplicaSet", uid="u-1")
    pod = decide(owner, WorkloadProgress(), situation()).make[0]
    assert (pod.namespace, pod.labels, pod.node_name, pod.phase) == ("shop", {"app": "web"}, "", "Pending")
    (reference,) = pod.owner_references
    assert (reference.kind, reference.name, reference.uid, reference.controller) == ("ReplicaSet", "web", "u-1", True)
    assert pod.creation_timestamp == 100.0


def test_names_and_uids_are_new_each_time_and_the_same_for_the_same_seed() -> None:
    owner = workload("ReplicaSet")
    first, again, other = WorkloadProgress(), WorkloadProgress(), WorkloadProgress()
    names = made(owner, situation(), first)
    assert made(owner, situation(), again) == names
    assert len({*names, *made(owner, situation(), first)}) == 6
    assert made(owner, situation(seed=8), other) != names


def test_a_name_that_is_in_use_is_passed_over() -> None:
    owner = workload("ReplicaSet", replicas=1)
    (name,) = made(owner, situation())
    (other,) = made(owner, situation(taken=[f"shop/{name}"]))
    assert other != name


def test_an_implied_set_makes_pods_like_the_lost_one() -> None:
    owner = workload("ReplicaSet", replicas=1, is_implied=True)
    lost: Pod = pod_of(owner, "web-1", labels={"revision": "2"}, phase="Running", start_time=5.0, preempted=True)
    (pod,) = decide(owner, WorkloadProgress(), situation(lost=[lost])).make
    assert pod.labels == {"revision": "2"}
    assert (pod.node_name, pod.phase, pod.start_time, pod.preempted) == ("", "Pending", None, False)


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

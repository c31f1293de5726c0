"""ReplicaSets and ReplicationControllers; second source: replica_set.go, manageReplicas and FilterActivePods."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from scheduler_core.controllers.decision import WorkloadProgress
from scheduler_core.controllers.registry import decide
from tests.scheduler_core.controllers.controller_helpers import made, pod_of, situation, workload

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

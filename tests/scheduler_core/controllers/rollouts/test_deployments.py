"""Invariants of rolling updates, over generated Deployments and orders in which pods become available."""

from __future__ import annotations

import random

import pytest

from scheduler_core.api.objects import Pod, Workload
from scheduler_core.api.rollouts import Rollout
from scheduler_core.controllers.rollouts.deployments import decide, max_surge, max_unavailable
from scheduler_core.controllers.rollouts.progress import DeploymentStatus
from scheduler_core.controllers.rollouts.replica_sets import SetStatus


def deployment(replicas: int, surge: str, unavailable: str, code: str = "b") -> Workload:
    rollout = Rollout(max_surge=surge, max_unavailable=unavailable)
    return Workload(
        kind="Deployment", name="web", replicas=replicas, template=Pod(name=""), template_hash=code, rollout=rollout
    )


class Cluster:
    """The sets of a Deployment, whose new pods become available one by one at random."""

    def __init__(self, of: Workload, old: int) -> None:
        self.deployment, self.status = of, DeploymentStatus()
        first = Workload(kind="ReplicaSet", name="web-a", replicas=old, template=Pod(name=""), template_hash="a")
        self.sets = {first.key: first}
        self.available = {first.key: old}

    def sync(self) -> None:
        statuses = {
            key: SetStatus(one.replicas, self.available[key], self.available[key]) for key, one in self.sets.items()
        }
        step = decide(self.deployment, list(self.sets.values()), statuses, self.status, 0, n_left=0)
        for one in step.put:
            self.sets[one.key] = one
            self.available[one.key] = min(self.available.get(one.key, 0), one.replicas)
        self.status = step.status

    def one_more(self, draw: random.Random) -> None:
        waiting = [key for key, one in self.sets.items() if self.available[key] < one.replicas]
        if waiting:
            self.available[draw.choice(waiting)] += 1

    @property
    def n_available(self) -> int:
        return sum(self.available.values())


@pytest.mark.parametrize("seed", range(40))
def test_a_rollout_keeps_to_its_strategy_and_ends_with_new_pods_alone(seed: int) -> None:
    draw = random.Random(seed)
    replicas = draw.randint(1, 12)
    surge, unavailable = (draw.choice(["0", "1", "2", "25%", "50%", "100%"]) for _ in range(2))
    of = deployment(replicas, surge, unavailable)
    cluster = Cluster(of, replicas)
    least, most = replicas - max_unavailable(of), replicas + max_surge(of)
    for _ in range(20 * replicas + 20):
        cluster.sync()
        assert cluster.n_available >= least
        assert sum(one.replicas for one in cluster.sets.values()) <= most
        cluster.one_more(draw)
    assert {key: one.replicas for key, one in cluster.sets.items() if one.replicas} == {
        "ReplicaSet/default/web-b": replicas
    }
    assert cluster.status.conditions["Progressing"].reason == "NewReplicaSetAvailable"


def test_pods_that_are_not_available_go_first_and_at_once() -> None:
    cluster = Cluster(deployment(4, "0", "1"), 4)
    cluster.available["ReplicaSet/default/web-a"] = 2
    cluster.sync()
    assert cluster.sets["ReplicaSet/default/web-a"].replicas == 3
    assert cluster.n_available == 2


@pytest.mark.parametrize(
    ("replicas", "expected"), [(1, (1, 0)), (3, (1, 0)), (4, (1, 1)), (7, (2, 1)), (10, (3, 2)), (0, (0, 0))]
)
def test_surge_rounds_up_and_unavailable_down(replicas: int, expected: tuple[int, int]) -> None:
    of = deployment(replicas, "25%", "25%")
    assert (max_surge(of), max_unavailable(of)) == expected
    assert max_unavailable(deployment(3, "0%", "10%")) == 1

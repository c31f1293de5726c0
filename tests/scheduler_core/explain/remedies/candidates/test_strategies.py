"""A rollout that keeps all old pods: another strategy is proposed where it lets a new pod in, and tried."""

from __future__ import annotations

from typing import Any

import pytest

from scheduler_core.engine.trials.trial import Trials
from scheduler_core.explain.remedies.model import VERIFIED
from scheduler_core.explain.remedies.search import remedies
from tests.scheduler_core.engine.consequences.rollout_runs import inputs_of, node, played, rolling, workload

NODES = [node("n1"), node("n2")]
APART = {
    "affinity": {
        "podAntiAffinity": {
            "requiredDuringSchedulingIgnoredDuringExecution": [
                {"labelSelector": {"matchLabels": {"app": "web"}}, "topologyKey": "kubernetes.io/hostname"}
            ]
        }
    }
}


def stuck(strategy: dict[str, Any]) -> tuple[Trials, str, str]:
    """The end of a run whose rollout has as many nodes as replicas, the pod that waits, and why the run ended."""
    spec = {"replicas": 2, "strategy": strategy}
    entries = [{"at": "10s", "action": "update", "object": workload(image="app:2", pod=APART, **spec)}]
    session, _ = played(inputs_of([*NODES, workload(pod=APART, **spec)], entries))
    simulation = session.simulation
    waiting = next((pod.key for pod in simulation.world.pods.values() if not pod.node_name), "")
    return Trials(simulation), waiting, simulation.finished


def test_the_strategy_is_changed_so_that_an_old_pod_leaves_first() -> None:
    trials, waiting, end = stuck(rolling(1, 0))
    assert "pending" not in end, "the pod is of the rollout"
    assert "Deployment default/web does not go on: 0 of 2" in end
    assert waiting in end
    answer = remedies(trials, waiting)
    (one,) = [one for one in answer.verified if one.code == "CHANGE_STRATEGY"]
    assert (one.status, one.actor) == (VERIFIED, "workload")
    (edit,) = one.edits
    assert (edit.op, edit.object, edit.path) == ("set", "apps/v1/Deployment/default/web", "/spec/strategy")
    assert edit.value["rollingUpdate"] == {"maxSurge": 0, "maxUnavailable": 1}
    assert any(one.code == "ADD_NODE_LIKE" for one in answer.verified)


@pytest.mark.parametrize("strategy", [rolling(0, 1), {"type": "Recreate"}])
def test_with_such_a_strategy_the_rollout_ends(strategy: dict[str, Any]) -> None:
    _, waiting, end = stuck(strategy)
    assert waiting == ""
    assert "does not go on" not in end

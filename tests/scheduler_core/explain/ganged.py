"""Gangs of pods on small clusters, decided by the preset coscheduling; its plugin is installed by the set-up."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scheduler_core.api.objects import Node, Pod, PodGroup
from scheduler_core.profiles.presets import PRESETS
from scheduler_core.testing.builders import make_node, make_pod
from tests.scheduler_core.explain.diagnosis.diagnosed import trials_of

if TYPE_CHECKING:
    from scheduler_core.engine.trials.trial import Trials

CONFIGURATION = PRESETS["coscheduling"].configuration()
LABEL = "scheduling.x-k8s.io/pod-group"


def ring(count: int, cpu: str = "1300m", **fields: Any) -> list[Pod]:
    """Pods p, p1, p2, ... of the gang ring."""
    names = ["p", *(f"p{i}" for i in range(1, count))]
    return [make_pod(name, cpu=cpu, labels={LABEL: "ring"}, **fields) for name in names]


def three_nodes() -> list[Node]:
    """Four cpu each."""
    return [make_node(f"n{i}", cpu="4") for i in range(3)]


def gang_trials(nodes: list[Node], pods: list[Pod], least: int = 10) -> Trials:
    """Trials of a cluster in which at least so many pods of the gang have to be there."""
    group = PodGroup(name="ring", min_member=least)
    return trials_of(nodes, pods, CONFIGURATION, pod_groups=[group])

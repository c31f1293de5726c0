"""Small clusters for questions of capacity."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scheduler_core.api.labels import LabelSelector, Requirement
from scheduler_core.api.objects import ClusterObjects, OwnerReference, PodDisruptionBudget
from scheduler_core.capacity.resting import RestingCluster
from scheduler_core.simulate import RunInputs
from scheduler_core.testing.builders import make_pod

if TYPE_CHECKING:
    from collections.abc import Iterable

    from scheduler_core.api.objects import Node, Pod

OWNED = (OwnerReference("ReplicaSet", "web", "u", controller=True, api_version="apps/v1"),)


def resting(
    nodes: Iterable[Node], pods: Iterable[Pod] = (), budgets: Iterable[PodDisruptionBudget] = ()
) -> RestingCluster:
    """The cluster at rest."""
    objects = ClusterObjects(nodes=list(nodes), pods=list(pods), pod_disruption_budgets=list(budgets))
    return RestingCluster(RunInputs(objects=objects))


def web(name: str, cpu: str = "1", node: str = "", **fields) -> Pod:
    """A pod of a ReplicaSet."""
    return make_pod(name, cpu=cpu, node_name=node, **{"owner_references": OWNED, "labels": {"app": "web"}, **fields})


def budget(allowed: int) -> PodDisruptionBudget:
    """A budget of the pods of ``web``."""
    selector = LabelSelector((Requirement("app", "In", ("web",)),))
    return PodDisruptionBudget(name="web", selector=selector, disruptions_allowed=allowed)

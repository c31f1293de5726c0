"""Single edits that a remedy could say, each carried out on the plain objects, and what a remedy's own changes give."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import msgspec

from scheduler_core.api import objects as k8s
from scheduler_core.columns.cluster import object_key
from tests.scheduler_core.explain.diagnosis.atomic_edits import asking_for, edited, edits_of
from tests.scheduler_core.explain.diagnosis.barriers import CONDITIONS, CORDON
from tests.scheduler_core.explain.diagnosis.brute_force import trials_on
from tests.scheduler_core.explain.diagnosis.draft import WAITING, MixedCluster

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scheduler_core.engine.trials.changes import Changes

_replace = msgspec.structs.replace
_SAID = ("taint", "selector", "port", "own anti-affinity", "pod affinity", "claim")
"""Kinds of atomic edits that are remedies as they stand, but for taints of a node's condition: the node is mended."""


class SingleEdit(NamedTuple):
    """One edit in words, and the cluster with it."""

    text: str
    cluster: MixedCluster


def binding_edits(cluster: MixedCluster) -> Iterator[SingleEdit]:
    """The single edits with which the engine gives the pod a node."""
    return (one for one in single_edits(cluster) if _binds(one.cluster))


def single_edits(cluster: MixedCluster) -> Iterator[SingleEdit]:
    """All of them: of the pod, of a node, and a pod that leaves."""
    yield from _of_pod(cluster)
    for node in cluster.nodes:
        if node.unschedulable:
            taints = tuple(one for one in node.taints if one.key != CORDON.rpartition(":")[0])
            opened = _replace(node, unschedulable=False, taints=taints)
            nodes = tuple(opened if one is node else one for one in cluster.nodes)
            yield SingleEdit(f"uncordon {node.name}", _replace(cluster, nodes=nodes))
    for pod in cluster.placed:
        yield SingleEdit(f"{pod.name} leaves", _without(cluster, (pod.key,)))


def _of_pod(cluster: MixedCluster) -> Iterator[SingleEdit]:
    pod = cluster.pod
    for edit in edits_of(cluster):
        if edit.kind in _SAID and edit.subject not in CONDITIONS:
            yield SingleEdit(" ".join(edit), edited(cluster, (edit,)))
        elif edit.kind == "request":
            for node in cluster.nodes:
                free = _free(cluster, node, edit.subject)
                if 0 < free < pod.containers[0].requests[edit.subject]:
                    less = asking_for(pod, edit.subject, free)
                    yield SingleEdit(f"{edit.subject} {free} as on {node.name}", _replace(cluster, pod=less))
    for i, one in enumerate(pod.topology_spread_constraints):
        several = list(pod.topology_spread_constraints)
        several[i] = _replace(one, when_unsatisfiable="ScheduleAnyway", min_domains=None)
        soft = _replace(pod, topology_spread_constraints=tuple(several))
        yield SingleEdit(f"soft spread over {one.topology_key}", _replace(cluster, pod=soft))


def _free(cluster: MixedCluster, node: k8s.Node, resource: str) -> int:
    """What the node's pods leave of a resource."""
    on = [pod for pod in cluster.placed if pod.node_name == node.name]
    held = sum(one.requests.get(resource, 0) for pod in on for one in pod.containers)
    return node.allocatable.get(resource, 0) - held


def _without(cluster: MixedCluster, keys: tuple[str, ...]) -> MixedCluster:
    return _replace(cluster, placed=tuple(pod for pod in cluster.placed if pod.key not in keys))


def _binds(cluster: MixedCluster) -> bool:
    return bool(trials_on(cluster).attempt(WAITING).node)


# --- remedies --------------------------------------------------------------------------------------------------------
def changes_bind(cluster: MixedCluster, changes: Changes) -> bool:
    """Whether a fresh run of the changed objects gives the pod a node, perhaps after the victims that it chose left."""
    after = with_changes(cluster, changes)
    trial = trials_on(after).attempt(WAITING)
    if trial.node or trial.preemption is None or trial.preemption.chosen is None:
        return bool(trial.node)
    chosen = trial.preemption.chosen
    nominated = _replace(after.pod, nominated_node_name=chosen.node)
    return _binds(_without(_replace(after, pod=nominated), chosen.victims))


def with_changes(cluster: MixedCluster, changes: Changes) -> MixedCluster:
    """The plain objects with what a remedy changes."""
    nodes = {node.name: node for node in (*cluster.nodes, *changes.nodes)}
    objects = {(type(one), object_key(one)): one for one in (*cluster.objects, *changes.objects)}
    pod = cluster.pod if changes.pod is None else changes.pod
    after = MixedCluster(nodes=tuple(nodes.values()), placed=cluster.placed, objects=tuple(objects.values()), pod=pod)
    return _without(after, changes.gone)


def parts_changed(before: MixedCluster, after: MixedCluster) -> frozenset[str]:
    """Which parts differ: fields of the pod and its affinity, "request cpu", "ports", "node unschedulable" and other
    fields of nodes, "new node", "gone" where pods left, "objects"."""
    return frozenset((
        *(f for f in _POD_FIELDS if getattr(before.pod, f) != getattr(after.pod, f)),
        *(f for f in _TERMS if _affinity(before, f) != _affinity(after, f)),
        *(f"request {name}" for name, amount in _main(before).requests.items() if amount != _asked(after, name)),
        *(("ports",) if _main(before).ports != _main(after).ports else ()),
        *_node_parts({node.name: node for node in before.nodes}, after),
        *(("gone",) if len(after.placed) < len(before.placed) else ()),
        *(("objects",) if after.objects != before.objects else ()),
    ))  # fmt: skip


_POD_FIELDS = (
    "tolerations", "node_selector", "topology_spread_constraints", "volumes", "priority", "preemption_policy",
)  # fmt: skip
_TERMS = ("node_required", "pod_required", "anti_required")


def _affinity(cluster: MixedCluster, field: str) -> object:
    return getattr(cluster.pod.affinity or k8s.Affinity(), field)


def _main(cluster: MixedCluster) -> k8s.Container:
    return cluster.pod.containers[0]


def _asked(cluster: MixedCluster, resource: str) -> int | None:
    return _main(cluster).requests.get(resource)


def _node_parts(before: dict[str, k8s.Node], after: MixedCluster) -> Iterator[str]:
    for node in after.nodes:
        if node.name not in before:
            yield "new node"
        else:
            fields = (f for f in node.__struct_fields__ if getattr(node, f) != getattr(before[node.name], f))
            yield from (f"node {field}" for field in fields)

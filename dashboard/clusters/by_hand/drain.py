"""Which pods leave a node that is drained, and which stay, as kubectl decides."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Collection

    from dashboard.clusters.revisions.contents import Contents
    from dashboard.clusters.revisions.object_rows import PodRow

MIRROR = "kubernetes.io/config.mirror"


class Staying(NamedTuple):
    """A pod that stays on a drained node, and why."""

    row: PodRow
    why: str


class DrainPlan(NamedTuple):
    """The pods that leave the nodes, and those that stay; finished pods are in neither."""

    leaving: list[PodRow]
    staying: list[Staying]


def drain_plan(contents: Contents, nodes: Collection[str]) -> DrainPlan:
    """Return what draining these nodes means for the pods that are bound to them."""
    plan = DrainPlan([], [])
    names = set(nodes)
    for row in contents.rows.pods:
        if row.status == "bound" and row.node in names:
            why = _why_it_stays(contents, row)
            if why:
                plan.staying.append(Staying(row, why))
            else:
                plan.leaving.append(row)
    return plan


def _why_it_stays(contents: Contents, row: PodRow) -> str:
    pod = contents.pods[row.namespace, row.name]
    owner = next((one for one in pod.owner_references if one.controller), None)
    if owner is not None and owner.kind == "DaemonSet":
        return f"it is of DaemonSet {owner.name}, which would put it here again"
    raw = contents.by_key[row.source] if row.source and row.source.kind == "Pod" else {}
    annotations = (raw.get("metadata") or {}).get("annotations") or {}
    is_static = isinstance(annotations, dict) and MIRROR in annotations
    if is_static or any(one.kind == "Node" for one in pod.owner_references):
        return "it is a static pod of the kubelet"
    return ""

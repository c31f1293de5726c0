"""Common edits of nodes: cordon, taint and label, as changes of their manifests."""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dashboard.clusters.revisions.object_keys import Raw


@dataclass(frozen=True)
class NodeChange:
    """An edit of nodes (cordon, uncordon, taint, untaint, label or unlabel) with its parameters."""

    what: str
    key: str = ""
    value: str = ""
    effect: str = "NoSchedule"

    @property
    def text(self) -> str:
        """Return the edit as the name of an operation, without the nodes."""
        pair = f"{self.key}={self.value}" if self.value else self.key
        return {
            "cordon": "Cordon",
            "uncordon": "Uncordon",
            "taint": f"Taint {pair}:{self.effect} on",
            "untaint": f"Remove taint {self.key}{':' + self.effect if self.effect else ''} from",
            "label": f"Label {pair} on",
            "unlabel": f"Remove label {self.key} from",
        }[self.what]


NODE_CHANGES = ("cordon", "uncordon", "taint", "untaint", "label", "unlabel")
EFFECTS = ("NoSchedule", "PreferNoSchedule", "NoExecute")


def change_node(raw: Raw, change: NodeChange) -> Raw:
    """Return a changed copy of the node's manifest."""
    node = copy.deepcopy(raw)
    if change.what in ("label", "unlabel"):
        _change_labels(mapping_in(node, "metadata"), change)
        return node
    spec = mapping_in(node, "spec")
    if change.what in ("taint", "untaint"):
        _change_taints(spec, change)
    else:
        spec.pop("unschedulable", None)
        if change.what == "cordon":
            spec["unschedulable"] = True
    if not spec and "spec" not in raw:
        del node["spec"]
    return node


def _change_labels(metadata: Raw, change: NodeChange) -> None:
    if change.what == "label":
        mapping_in(metadata, "labels")[change.key] = change.value
    elif isinstance(metadata.get("labels"), dict):
        metadata["labels"].pop(change.key, None)


def _change_taints(spec: Raw, change: NodeChange) -> None:
    def is_meant(taint: Any) -> bool:
        fits = isinstance(taint, dict) and taint.get("key") == change.key
        return fits and (not change.effect or taint.get("effect") == change.effect)

    remaining = [taint for taint in spec.get("taints") or [] if not is_meant(taint)]
    if change.what == "taint":
        taint = {"key": change.key, "effect": change.effect}
        remaining.append({**taint, "value": change.value} if change.value else taint)
    spec.pop("taints", None)
    if remaining:
        spec["taints"] = remaining


def mapping_in(parent: Raw, name: str) -> Raw:
    """Return the mapping at a name, put there where there is none."""
    if not isinstance(parent.get(name), dict):
        parent[name] = {}
    mapping: Raw = parent[name]
    return mapping

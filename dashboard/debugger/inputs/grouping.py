"""The nodes of the map in groups by the values of a label, which the pod that is looked at chooses."""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING

import numpy as np

from dashboard.clusters.revisions.object_rows import POOL_LABELS, ZONE_LABELS
from dashboard.debugger.inputs.node_usage import layout_at, natural

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from dashboard.debugger.inputs.facts import Facts, PodFacts
    from dashboard.debugger.inputs.layout import NodeLayout
    from scheduler_core.recording.state import RunState

    Int64 = NDArray[np.int64]

# A label with more values (such as the host name) does not form useful groups.
MOST_GROUPS = 40
# Suffixes of vendors' labels with the model of a device: gpu-card-model, gpu.product.
MODEL_ENDINGS = ("model", "product")


@dataclass(frozen=True)
class LabelGroup:
    """The nodes from `start` to before `end` in the order of the map; `value` is "" where they lack the label."""

    value: str
    start: int
    end: int


@dataclass(frozen=True)
class Grouping:
    """The nodes in the order of the map. `label` is the node label of the groups, "" where all nodes are one group.

    `order` int64[nodes] are positions in the layout by place on the map, `names` the nodes there. `version` names this
    order of these nodes.
    """

    label: str
    order: Int64
    names: list[str]
    groups: tuple[LabelGroup, ...]
    version: str

    @cached_property
    def place_of(self) -> dict[str, int]:
        """{name: place}."""
        return {name: i for i, name in enumerate(self.names)}

    @cached_property
    def domain(self) -> str:
        """What all names end in after their first dot, "" where they differ."""
        domains = {name.partition(".")[1] + name.partition(".")[2] for name in self.names}
        return domains.pop() if len(domains) == 1 else ""

    @property
    def kind(self) -> str:
        """Return what the groups are by: "zone", "pool", or the label without its domain."""
        if self.label in ZONE_LABELS:
            return "zone"
        return "pool" if self.label in POOL_LABELS else bare(self.label)

    def name(self, group: LabelGroup) -> str:
        """Return a group's name for people."""
        if group.value:
            return group.value
        return f"no {self.kind}" if self.label else "all nodes"


def bare(name: str) -> str:
    """Return the name of a label or resource without its domain: "nvidia.com/gpu" -> "gpu"."""
    return name.rpartition("/")[2]


def grouping_of(facts: Facts, state: RunState, pod: PodFacts | None) -> Grouping:
    """Return the nodes of the state in groups.

    The label is the first of these that splits the nodes into 2 to MOST_GROUPS groups: those that the pod's node
    selector and required node affinity name, the model of the devices that it requests, zone, pool.
    """
    layout = layout_at(facts, state)
    version = facts.node_versions(state.at)
    for label in _labels(layout, pod):
        grouping = facts.groupings.get((layout.nodes, version, label), partial(_grouped, layout, label))
        if grouping is not None:
            return grouping
    everything = {"": list(range(len(layout.names)))}
    return facts.groupings.get((layout.nodes, version, ""), lambda: _grouping(layout, "", everything))


def _labels(layout: NodeLayout, pod: PodFacts | None) -> Iterator[str]:
    if pod is not None:
        yield from sorted(pod.object.node_selector)
        affinity = pod.object.affinity
        required = affinity.node_required if affinity else None
        for term in required.terms if required else ():
            yield from (expression.key for expression in term.match_expressions)
        yield from _model_labels(layout, pod)
    yield from ZONE_LABELS
    yield from POOL_LABELS


def _model_labels(layout: NodeLayout, pod: PodFacts) -> list[str]:
    """Labels of the vendors of the devices that the pod requests, which name their model."""
    domains = {name.rpartition("/")[0] for name, _ in pod.others if "/" in name}
    return sorted(key for key in layout.label_keys if key.rpartition("/")[0] in domains and key.endswith(MODEL_ENDINGS))


def _grouped(layout: NodeLayout, label: str) -> Grouping | None:
    """The nodes by the values of a label, None where it does not split them into a few groups."""
    members: dict[str, list[int]] = {}
    for i, node in enumerate(layout.objects):
        members.setdefault(node.labels.get(label, "") if node is not None else "", []).append(i)
        if len(members) > MOST_GROUPS:
            return None
    return _grouping(layout, label, members) if len(members) > 1 else None


def _grouping(layout: NodeLayout, label: str, members: dict[str, list[int]]) -> Grouping:
    """Zones and pools by name, values of other labels by how many nodes have them; nodes without the label last."""
    if label in ZONE_LABELS or label in POOL_LABELS:
        values = sorted(members, key=lambda value: (not value, natural(value)))
    else:
        values = sorted(members, key=lambda value: (not value, -len(members[value]), natural(value)))
    groups: list[LabelGroup] = []
    order: list[int] = []
    for value in values:
        groups.append(LabelGroup(value, len(order), len(order) + len(members[value])))
        order.extend(members[value])
    names = [layout.names[i] for i in order]
    version = f"{len(order)}-{zlib.crc32(' '.join([label, '/'.join(names)]).encode()):08x}"
    return Grouping(label, np.array(order, dtype=np.int64), names, tuple(groups), version)

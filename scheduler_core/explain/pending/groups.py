"""The nodes that an attempt refused, grouped by reason, with what the nodes of a group have in common."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from scheduler_core.api.objects import Node, Pod
from scheduler_core.api.resources import PODS
from scheduler_core.explain.facts.amounts import amounts
from scheduler_core.explain.outcomes.nodes import HOSTNAME
from scheduler_core.explain.outcomes.words import plural
from scheduler_core.explain.pending.model import RefusedNodeGroup, ResourceRange
from scheduler_core.framework.contracts.status import Code
from scheduler_core.plugins.node_resources.fit import TOO_MANY_PODS, NodeResourcesFit
from scheduler_core.recording.frames.frame import Frame

_INSUFFICIENT = "Insufficient "
_MOST_SHARED = 3
Usage = Mapping[str, Mapping[str, int]]
"""{node: {resource: requested}}, slots of pods as "pods"."""


def groups_of(
    frame: Frame, names: Sequence[str], nodes: Mapping[str, Node], usage: Usage, pod: Pod, requests: Mapping[str, int]
) -> tuple[RefusedNodeGroup, ...]:
    """The refused nodes of a frame, the largest group first. ``names`` by row; ``requests`` are those of the pod."""
    refused: dict[tuple[str, tuple[str, ...], int], list[int]] = {}
    overlay = {entry.row: entry for entry in frame.overlay}
    for row, first in enumerate(frame.decisive.tolist()):
        if row in overlay:
            key = overlay[row].plugin, tuple(overlay[row].reasons), overlay[row].code
        elif first >= 0:
            reasons = frame.reason_table[int(frame.reasons[first, row])]
            key = frame.filter_plugins[first], tuple(reasons), int(frame.codes[first, row])
        else:
            continue
        refused.setdefault(key, []).append(row)
    label = chosen_label(pod)
    found = [_group(frame, key, rows, _Nodes(names, nodes, usage, label, requests)) for key, rows in refused.items()]
    return tuple(sorted(found, key=lambda group: (-group.count, group.plugin, group.reasons, group.unresolvable)))


def chosen_label(pod: Pod) -> str:
    """The label by which the pod chooses nodes: the first of its nodeSelector, else of its required node affinity."""
    for key in pod.node_selector:
        return key
    required = pod.affinity.node_required if pod.affinity is not None else None
    return next((one.key for term in (required.terms if required else ()) for one in term.match_expressions), "")


class _Nodes:
    """What is known of the nodes of a frame."""

    def __init__(
        self,
        names: Sequence[str],
        nodes: Mapping[str, Node],
        usage: Usage,
        label: str,
        requests: Mapping[str, int],
    ) -> None:
        self.names, self.nodes, self.usage, self.label, self.requests = names, nodes, usage, label, requests

    def labels(self, row: int) -> Mapping[str, str]:
        node = self.nodes.get(self.names[row])
        return node.labels if node is not None else {}

    def free(self, row: int, resource: str) -> int:
        name = self.names[row]
        node = self.nodes.get(name)
        whole = node.allocatable.get(resource, 0) if node is not None else 0
        return whole - self.usage.get(name, {}).get(resource, 0)


def _group(frame: Frame, key: tuple[str, tuple[str, ...], int], rows: list[int], known: _Nodes) -> RefusedNodeGroup:
    plugin, reasons, code = key
    hidden: Counter[str] = Counter()
    only = 0
    for row in rows:
        others = [name for i, name in enumerate(frame.filter_plugins) if name != plugin and frame.codes[i, row]]
        hidden.update(others)
        only += not others
    values = Counter(known.labels(row).get(known.label, "") for row in rows) if known.label else Counter[str]()
    unresolvable = code == Code.UNSCHEDULABLE_AND_UNRESOLVABLE
    shared, free = _shared(rows, known), _ranges(plugin, reasons, rows, known)
    return RefusedNodeGroup(
        plugin=plugin,
        reasons=reasons,
        nodes=tuple(sorted(known.names[row] for row in rows)),
        words=_words(len(rows), shared, free, reasons, unresolvable=unresolvable),
        unresolvable=unresolvable,
        shared=shared,
        label=known.label,
        values=tuple(values.most_common()),
        hidden=tuple(hidden.most_common()),
        only=only,
        free=free,
    )


def _shared(rows: list[int], known: _Nodes) -> tuple[tuple[str, str], ...]:
    """Labels with one value on all of the rows that some other node lacks; the pod's own label first."""
    common = dict(known.labels(rows[0]))
    for row in rows[1:]:
        labels = known.labels(row)
        common = {key: value for key, value in common.items() if labels.get(key) == value}
    others = [node.labels for node in known.nodes.values()]
    telling = [
        (key, value)
        for key, value in sorted(common.items(), key=lambda item: (item[0] != known.label, item[0]))
        if key != HOSTNAME and any(labels.get(key) != value for labels in others)
    ]
    return tuple(telling[:_MOST_SHARED])


def _ranges(plugin: str, reasons: tuple[str, ...], rows: list[int], known: _Nodes) -> tuple[ResourceRange, ...]:
    if plugin != NodeResourcesFit.name:
        return ()
    found = []
    for reason in reasons:
        resource = PODS if reason == TOO_MANY_PODS else reason.removeprefix(_INSUFFICIENT)
        asked = 1 if resource == PODS else known.requests.get(resource, 0)
        free = [known.free(row, resource) for row in rows]
        found.append(ResourceRange(resource, asked, min(free), max(free)))
    return tuple(found)


def _words(
    count: int,
    shared: tuple[tuple[str, str], ...],
    free: tuple[ResourceRange, ...],
    reasons: tuple[str, ...],
    *,
    unresolvable: bool,
) -> str:
    """ "391 nodes with gpu-card-model=T4: asks for 1000 gpu-milli, 0 to 120 free" """
    which = plural(count, "node") + (f" with {', '.join(f'{k}={v}' for k, v in shared[:1])}" if shared else "")
    told = "; ".join(map(range_words, free)) or "; ".join(reasons)
    return f"{which}: {told}{'; too small even when empty' if free and unresolvable else ''}"


def range_words(one: ResourceRange) -> str:
    """ "asks for 4 cpu, 0.5 to 2 free" """
    if one.resource == PODS:
        return "no slot for another pod"
    asked, least, most = amounts(one.resource, one.asked, max(one.least_free, 0), max(one.most_free, 0))
    return f"asks for {asked} {one.resource}, {least if least == most else f'{least} to {most}'} free"

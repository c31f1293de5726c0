"""Changes of nodes and of other pods that may let a pod fit, and a higher priority of the pod itself."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import islice

import msgspec
import numpy as np

from scheduler_core.api.objects import Node, Pod
from scheduler_core.api.resources import PODS
from scheduler_core.api.taints import Taint
from scheduler_core.columns.pods import PodInfo
from scheduler_core.engine.trials.changes import Changes
from scheduler_core.explain import edited_objects
from scheduler_core.explain.outcomes.texts import quantity
from scheduler_core.explain.remedies.candidates.candidate import RemedyCandidate, leaving_words, of_state
from scheduler_core.explain.remedies.candidates.pod_edits import taint_words, unmatched_selector, untolerated
from scheduler_core.explain.remedies.model import (
    BIGGER_NODE,
    CORDON,
    LABEL,
    PODS_GONE,
    PRIORITY,
    TAINT,
    ProposedEdit,
)
from scheduler_core.explain.remedies.shortages import promised_to
from scheduler_core.explain.remedies.situation import RemedySituation, Rows
from scheduler_core.framework.plugin_helpers.node_conditions import is_symptom

NODES_PER_KIND = 3
PRIORITIES = 6
ALLOWED_SIZE = 0.5
NEW_NODE_SIZE, GROWN_SIZE = 2.0, 2.5
_VALUES = 3
HIGHEST_PRIORITY = 1_000_000_000
"""What the API server takes of a priority class that is not Kubernetes' own (scheduling/types.go)."""
_GIVEN = ("kubernetes.io/", "topology.kubernetes.io/", "node.kubernetes.io/", "beta.kubernetes.io/", "failure-domain.")
"""Prefixes of labels that say what a machine is: a label alone makes it no other."""


def of_labels(situation: RemedySituation, rows: Rows) -> Iterator[RemedyCandidate]:
    """Label nodes as the nodeSelector says; one candidate for nodes that lack the same."""
    parts: dict[tuple[str, ...], list[int]] = {}
    for row in rows.tolist():
        keys, affinity = unmatched_selector(situation.pod, situation.node(row))
        if keys and not affinity and not any(key.startswith(_GIVEN) for key in keys):
            parts.setdefault(keys, []).append(row)
    for keys, part in parts.items():
        node, labels = situation.node(part[0]), {key: situation.pod.node_selector[key] for key in keys}
        edit = ProposedEdit(LABEL, keys[0], node.labels.get(keys[0], ""), labels[keys[0]], node.name)
        text = f"label a node {', '.join(f'{key}={value}' for key, value in labels.items())}"
        labelled = msgspec.structs.replace(node, labels={**node.labels, **labels})
        names = situation.names(part)
        yield of_state(edit, text, float(len(keys)), Changes(nodes=(labelled,)), names)


def of_missing_key(situation: RemedySituation, rows: Rows) -> Iterator[RemedyCandidate]:
    """A node without the topology key of a constraint given one of the values that other nodes have: that it is there
    is assumed, and said so."""
    pod = situation.pod
    hard = [one for one in pod.topology_spread_constraints if one.when_unsatisfiable == "DoNotSchedule"]
    terms = () if pod.affinity is None else pod.affinity.pod_required
    keys = {one.topology_key for one in hard} | {one.topology_key for one in terms}
    for key in sorted(keys - {edited_objects.HOSTNAME}):
        lacking = [situation.node(row) for row in rows.tolist() if key not in situation.node(row).labels]
        counts = Counter(node.labels[key] for node in situation.table.nodes if node is not None and key in node.labels)
        for value, _ in counts.most_common()[: -_VALUES - 1 : -1] if lacking else ():
            node = lacking[0]
            edit = ProposedEdit(LABEL, key, "", value, node.name)
            labelled = msgspec.structs.replace(node, labels={**node.labels, key: value})
            names = [one.name for one in lacking]
            made = of_state(edit, f"label {node.name} {key}={value}", 1.0, Changes(nodes=(labelled,)), names)
            remedy = msgspec.structs.replace(made.remedy, assumed=f"{node.name} is in {key} {value}")
            yield msgspec.structs.replace(made, remedy=remedy)


def of_cordon(situation: RemedySituation, rows: Rows) -> Iterator[RemedyCandidate]:
    """End the cordon of a node: the first of those that are alike, each where a spread constraint may count them."""
    spread = any(one.when_unsatisfiable == "DoNotSchedule" for one in situation.pod.topology_spread_constraints)
    alike: dict[tuple[object, ...], list[str]] = {}
    first: dict[tuple[object, ...], Node] = {}
    for row in rows.tolist():
        node = situation.node(row)
        likeness = (node.name if spread else "", *node_likeness(node))
        alike.setdefault(likeness, []).append(node.name)
        first.setdefault(likeness, node)
    for likeness, names in sorted(alike.items(), key=lambda item: -len(item[1]))[:NODES_PER_KIND]:
        node = first[likeness]
        edit = ProposedEdit(CORDON, "unschedulable", "true", "false", node.name)
        opened = Changes(nodes=(edited_objects.uncordoned(node),))
        yield of_state(edit, f"uncordon {node.name}", 1.0, opened, names)


def of_taints(situation: RemedySituation, rows: Rows) -> Iterator[RemedyCandidate]:
    """Take the taints off that the pod does not tolerate; one candidate for nodes with the same."""
    parts: dict[tuple[Taint, ...], list[int]] = {}
    for row in rows.tolist():
        parts.setdefault(untolerated(situation.pod, situation.node(row)), []).append(row)
    for taints, part in parts.items():
        if any(map(is_symptom, taints)):
            continue  # its controller would set it again
        node, names = situation.node(part[0]), situation.names(part)
        taints_text = ", ".join(map(taint_words, taints))
        edit = ProposedEdit(TAINT, taints[0].key, taints_text, "", node.name)
        s = "s" if len(taints) > 1 else ""
        freed = Changes(nodes=(edited_objects.untainted(node, taints),))
        yield of_state(edit, f"take the taint{s} {taints_text} off a node", float(len(taints)), freed, names)


def of_nodes(situation: RemedySituation, rows: Rows) -> Iterator[RemedyCandidate]:
    """Nodes enlarged by the room that they lack, the least first."""
    short = situation.shortages
    missing = short.missing(rows)
    shares = short.shares(missing, rows)
    alike: dict[tuple[object, ...], list[int]] = {}
    for i in np.argsort(shares, kind="stable").tolist():
        alike.setdefault((*node_likeness(situation.node(int(rows[i]))), *missing[:, i].tolist()), []).append(i)
    for several in islice(alike.values(), NODES_PER_KIND):
        first, node = several[0], situation.node(int(rows[several[0]]))
        names = [situation.base.names[int(rows[i])] for i in several]
        more = {short.resources[j]: int(missing[j, first]) for j in np.flatnonzero(missing[:, first]).tolist()}
        if np.isfinite(shares[first]):  # nobody puts a device into a node that has none of its kind
            yield _bigger(node, more, GROWN_SIZE + float(shares[first]), names)


def _bigger(node: Node, more: dict[str, int], share: float, names: list[str]) -> RemedyCandidate:
    by = " and ".join(quantity(name, value) for name, value in more.items())
    edit = ProposedEdit(BIGGER_NODE, next(iter(more)), "", by, node.name)
    larger = Changes(nodes=(edited_objects.enlarged(node, more),))
    return of_state(edit, f"enlarge {node.name} by {by}", share, larger, names)


def node_likeness(node: Node) -> tuple[object, ...]:
    """What two nodes have in common that are equal but for name and host name."""
    labels = tuple(sorted(item for item in node.labels.items() if item[0] != edited_objects.HOSTNAME))
    return labels, node.taints, tuple(sorted(node.allocatable.items()))


# --- other pods ------------------------------------------------------------------------------------------------------
def of_pods_gone(situation: RemedySituation, rows: Rows) -> Iterator[RemedyCandidate]:
    """Which pods would have to leave a node, for the nodes on which that is least."""
    short, candidates = situation.shortages, list[RemedyCandidate]()
    missing = short.missing(rows)
    shares = short.shares(missing, rows)
    promised = promised_to(situation.trials, situation.pod)
    for i in np.argsort(shares, kind="stable").tolist()[: 4 * NODES_PER_KIND]:
        row = int(rows[i])
        if np.any(short.needs > short.allocatable[:, row]):
            continue
        lacking = {short.resources[j]: int(missing[j, i]) for j in np.flatnonzero(missing[:, i]).tolist()}
        there = [*situation.trials.simulation.context.cluster.pods_on(row).values(), *promised.get(row, ())]
        on = [info for info in there if may_leave(situation.pod, info.pod)]
        chosen = leaving(on, lacking, situation)
        if chosen:
            candidates.append(_gone(situation, row, chosen))
    candidates.sort(key=lambda one: one.remedy.size)
    yield from candidates[:NODES_PER_KIND]


def may_leave(pod: Pod, other: Pod) -> bool:
    """Whether it helps that the other pod leaves: one of a DaemonSet or of the node itself comes back at once, and one
    of the pod's own workload would wait in its place."""
    owner = next((one for one in other.owner_references if one.controller), None)
    if owner is None:
        return other.key != pod.key
    own = next((one for one in pod.owner_references if one.controller), None)
    is_sibling = own is not None and (own.kind, own.name, own.uid) == (owner.kind, owner.name, owner.uid)
    return owner.kind not in ("DaemonSet", "Node") and not (is_sibling and pod.namespace == other.namespace)


def _gone(situation: RemedySituation, row: int, chosen: list[PodInfo]) -> RemedyCandidate:
    node, short = situation.base.names[row], situation.shortages
    held = {name: sum(_held(info, name) for info in chosen) for name in short.resources}
    shares = [
        held[name] / whole for name, whole in zip(short.resources, short.allocatable[:, row], strict=True) if whole
    ]
    keys = [info.key for info in chosen]
    text = leaving_words(keys, node)
    edit = ProposedEdit(PODS_GONE, ", ".join(keys), "there", "gone", node)
    return of_state(edit, text, max(shares, default=0.0), Changes(gone=tuple(keys)), [node])


def _held(info: PodInfo, resource: str) -> int:
    return 1 if resource == PODS else info.cls.requests.get(resource, 0)


def leaving(on: list[PodInfo], lacking: dict[str, int], situation: RemedySituation) -> list[PodInfo]:
    """Pods of which none can stay if the others leave: holders of the ports asked for, then as few others as a greedy
    choice from the lowest priority on finds; empty where all of them together are not enough."""
    ports = situation.trials.simulation.context.cluster.info(situation.pod).cls.held_ports
    chosen = [info for info in on if ports and _collide(info.cls.held_ports, ports)]
    left = dict(lacking)
    _take(left, chosen)
    others = [info for info in on if info not in chosen]
    while any(value > 0 for value in left.values()):
        helping = [info for info in others if any(_held(info, name) > 0 for name, value in left.items() if value > 0)]
        if not helping:
            return []
        best = min(
            helping, key=lambda info: (info.pod.priority, -_covered(info, left), _weight(info, lacking), info.key)
        )
        chosen.append(best)
        others.remove(best)
        _take(left, [best])
    for info in sorted(chosen, key=lambda info: -info.pod.priority):  # the more important ones stay if they can
        spare = all(left[name] + _held(info, name) <= 0 for name in left)
        if spare and not (ports and _collide(info.cls.held_ports, ports)):
            chosen.remove(info)
            for name in left:
                left[name] += _held(info, name)
    return chosen


def _collide(held: Iterable[tuple[str, str, int]], asked: Iterable[tuple[str, str, int]]) -> bool:
    """Whether two sets of host ports have one in common; the address 0.0.0.0 stands for all."""
    return any(
        mine[1:] == theirs[1:] and (mine[0] == theirs[0] or "0.0.0.0" in (mine[0], theirs[0]))
        for mine in asked
        for theirs in held
    )


def _take(left: dict[str, int], infos: Iterable[PodInfo]) -> None:
    for info in infos:
        for name in left:
            left[name] -= _held(info, name)


def _covered(info: PodInfo, left: dict[str, int]) -> float:
    """Which part of what is lacking the pod holds, resource by resource."""
    return sum(min(1.0, _held(info, name) / value) for name, value in left.items() if value > 0)


def _weight(info: PodInfo, lacking: dict[str, int]) -> float:
    return sum(_held(info, name) / value for name, value in lacking.items() if value)


# --- the pod's priority ------------------------------------------------------------------------------------------
def of_priority(situation: RemedySituation) -> Iterator[RemedyCandidate]:
    """The pod just above each priority that pods on nodes have, the least first; it may preempt then."""
    pod, infos = situation.pod, situation.trials.simulation.context.cluster.pods.values()
    above = {info.pod.priority + 1 for info in infos}
    if pod.preemption_policy == "Never":
        made = _preempting(pod, pod.priority, "let it preempt (preemptionPolicy PreemptLowerPriority)", ALLOWED_SIZE)
        yield made
    for priority in sorted(v for v in above if pod.priority < v <= HIGHEST_PRIORITY)[:PRIORITIES]:
        never = ", and let it preempt" if pod.preemption_policy == "Never" else ""
        yield _preempting(pod, priority, f"raise its priority to {priority:,} by a priority class{never}", 1.0)


def _preempting(pod: Pod, priority: int, text: str, size: float) -> RemedyCandidate:
    edited = msgspec.structs.replace(pod, priority=priority, preemption_policy="PreemptLowerPriority")
    code = "RAISE_PRIORITY" if priority != pod.priority else "ALLOW_PREEMPTION"
    edit = ProposedEdit(PRIORITY, "priority", str(pod.priority), str(priority), code=code)
    return msgspec.structs.replace(of_state(edit, text, size, Changes(pod=edited), ()), nominates=True)

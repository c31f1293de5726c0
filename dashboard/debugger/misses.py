"""Why a node was refused, in the terms of pod and node, and which refused nodes came nearest."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from dashboard.debugger.words import SUCCESS, plural
from scheduler_core.explain import Explanation, NodeSituation, explain_refusal, nearest_misses

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from dashboard.debugger.facts import Facts, PodFacts
    from dashboard.debugger.matrix import FilterCell, FrameView
    from dashboard.debugger.usage import Usage
    from scheduler_core.api.objects import Node, Pod
    from scheduler_core.recording.state import RunState

    Int64 = NDArray[np.int64]

SHOWN = 5
# So many nodes are ranked by their objects; arrays choose them among the others.
LOOKED_AT = 100
RESOURCES = "NodeResourcesFit"
# Looks of cells that refuse.
REFUSING = ("no", "nores", "hid")


@dataclass(frozen=True)
class Scene:
    """The cluster as the cycle found it: the pod's facts, all facts, and the state when the cycle began."""

    pod: PodFacts
    facts: Facts
    state: RunState

    @property
    def object(self) -> Pod:
        """Return the pod itself."""
        return self.pod.object


@dataclass(frozen=True)
class Situation:
    """A node with what is on it, and the same with the `nominated` pods that are not there yet and count already."""

    node: NodeSituation
    expected: NodeSituation
    nominated: int

    def explain(self, plugin: str, pod: Pod) -> Explanation:
        """Return facts and remedies; both are empty where the two objects alone do not tell."""
        found = explain_refusal(plugin, pod, self.node)
        if found.facts or not self.nominated or plugin != RESOURCES:
            return found
        found = explain_refusal(plugin, pod, self.expected)
        counted = f"with {plural(self.nominated, 'nominated pod')} counted"
        return Explanation((*found.facts, counted), found.remedies) if found.facts else found


@dataclass(frozen=True)
class Reason:
    """What one plugin has against a node: `facts` in words of the objects ("" unknown) beside the raw reason."""

    plugin: str
    meaning: str
    facts: str
    raw: str
    remedies: str

    @property
    def words(self) -> str:
        """Return the facts, or the raw reason where there are none."""
        return self.facts or self.raw


@dataclass(frozen=True)
class Miss:
    """A refused node that came near, with the reasons of all plugins that refuse it."""

    node: str
    reasons: list[Reason]


def situations(scene: Scene, names: Iterable[str]) -> dict[str, Situation]:
    """Return {node: situation} of the named nodes, those left out that no input knows; one pass over all placements.

    Pods nominated to a node count on it from the same priority on, as the reference's first filter pass has it.
    """
    facts, state = scene.facts, scene.state
    placed: dict[str, list[PodFacts | None]] = {name: [] for name in names}
    for key, placement in state.placements.items():
        if placement.node in placed:
            placed[placement.node].append(facts.pods.get(key, state.at))
    nominated = _nominated(scene, placed)
    return {
        name: Situation(_situation(node.object, pods), _situation(node.object, pods + more), len(more))
        for name, pods in placed.items()
        if (node := facts.nodes.get(name, state.at)) is not None
        for more in (nominated.get(name, []),)
    }


def _nominated(scene: Scene, nodes: Iterable[str]) -> dict[str, list[PodFacts | None]]:
    """{node: other pods that are nominated to it and go before the pod}."""
    found: dict[str, list[PodFacts | None]] = {}
    wanted, state = set(nodes), scene.state
    for key, node in state.nominations.items():
        pod = scene.facts.pods.get(key, state.at) if node in wanted and key not in state.placements else None
        if pod is not None and pod.object is not scene.object and pod.priority >= scene.pod.priority:
            found.setdefault(node, []).append(pod)
    return found


def _situation(node: Node, pods: list[PodFacts | None]) -> NodeSituation:
    """The node with these pods; one that no input knows counts as a pod that requests nothing."""
    requested: dict[str, int] = {}
    for pod in pods:
        for name, value in (("cpu", pod.cpu), ("memory", pod.memory), *pod.others) if pod else ():
            requested[name] = requested.get(name, 0) + value
    return NodeSituation(node, requested, len(pods))


def reason_of(cell: FilterCell, situation: Situation | None, pod: Pod) -> Reason:
    """Return the reason of a refusing cell."""
    found = situation.explain(cell.plugin, pod) if situation is not None else Explanation()
    meaning = {"nores": "unres", "hid": "hidden"}.get(cell.look, "unsched")
    remedies = " and ".join(dict.fromkeys(found.remedies))
    return Reason(cell.plugin, meaning, "; ".join(found.facts), cell.reason, remedies)


def reasons_of(scene: Scene, node: str, cells: Iterable[FilterCell]) -> list[Reason]:
    """Return the reasons of those of the node's cells that refuse."""
    refusing = [cell for cell in cells if cell.look in REFUSING]
    situation = situations(scene, [node]).get(node) if refusing else None
    return [reason_of(cell, situation, scene.object) for cell in refusing]


def misses(scene: Scene, view: FrameView, usage: Usage) -> list[Miss]:
    """Return the refused nodes that came nearest, at most SHOWN: fewest refusing plugins, then least missing."""
    names = [view.names[int(row)] for row in _preselected(view, usage, scene.pod)]
    known = situations(scene, names)
    refused = []
    for name, situation in known.items():
        cells = _refusing(view, name)
        refused.append((situation.node, tuple(cell.plugin for cell in cells)))
    found = nearest_misses(scene.object, refused, SHOWN)
    return [_miss(view, known, node.node.name, scene.object) for node, _, _ in found]


def _miss(view: FrameView, known: dict[str, Situation], name: str, pod: Pod) -> Miss:
    return Miss(name, [reason_of(cell, known[name], pod) for cell in _refusing(view, name)])


def _refusing(view: FrameView, name: str) -> list[FilterCell]:
    return [cell for cell in view.cells(view.row_of[name]) if cell.look in REFUSING]


def _preselected(view: FrameView, usage: Usage, pod: PodFacts) -> Int64:
    """The refused rows that few plugins refuse, among equals those that lack the least cpu or memory."""
    rows = view.refused
    if len(rows) <= LOOKED_AT:
        return rows
    refusing = view.frame.codes[:, rows] != SUCCESS
    counts = refusing.sum(axis=0)
    plugins = view.frame.filter_plugins
    lacks = np.ones(len(rows))
    if RESOURCES in plugins:
        only = np.flatnonzero(refusing[plugins.index(RESOURCES)] & (counts == 1))
        lacks[only] = _lacking(usage, pod, view.array[rows[only]])
    return rows[np.lexsort((view.array[rows], lacks, counts))[:LOOKED_AT]]


def _lacking(usage: Usage, pod: PodFacts, names: NDArray[np.str_]) -> NDArray[np.float64]:
    """The largest share of cpu or memory that is missing, 1 where even the empty node would be too small."""
    at = np.array([usage.index[str(name)] for name in names], dtype=np.int64)
    most = np.zeros(len(at))
    for needs, used, whole in (
        (pod.cpu, usage.cpu, usage.cpu_whole),
        (pod.memory, usage.memory, usage.memory_whole),
    ):
        if needs:
            share = np.clip((needs - (whole[at] - used[at])) / needs, 0, 1)
            most = np.maximum(most, np.where(whole[at] < needs, 1.0, share))
    return most

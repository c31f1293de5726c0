"""Why a node was refused, in the terms of pod and node, and which refused nodes came nearest."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from dashboard.debugger.panels.refusal_reason import Reason
from scheduler_core.explain import Explanation, NodeSituation, counts_against, explain_refusal, nearest_misses
from scheduler_core.recording.vocabulary import Code

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from dashboard.debugger.inputs.facts import Facts, PodFacts
    from dashboard.debugger.inputs.layout import Usage
    from dashboard.debugger.panels.matrix.frame_view import FilterCell, FrameView
    from scheduler_core.api.objects import Node, Pod, Resources
    from scheduler_core.recording.state import RunState

    Int64 = NDArray[np.int64]
    Floats = NDArray[np.float64]

SHOWN = 5
# So many nodes are ranked by their objects; arrays choose them among the others.
LOOKED_AT = 100
RESOURCES = "NodeResourcesFit"
# Looks of cells that refuse.
REFUSING = ("no", "nores", "hid")


@dataclass(frozen=True)
class RefusalContext:
    """The cluster as the cycle found it: the pod's facts, all facts, and the state when the cycle began.

    `requests` are those that the pod's profile compares with nodes.
    """

    pod: PodFacts
    facts: Facts
    state: RunState
    requests: Resources

    @property
    def object(self) -> Pod:
        """Return the pod itself."""
        return self.pod.object


@dataclass(frozen=True)
class Miss:
    """A refused node that came near, with the reasons of all plugins that refuse it."""

    node: str
    reasons: list[Reason]


def situations(context: RefusalContext, names: Iterable[str]) -> dict[str, NodeSituation]:
    """Return {node: situation} of the named nodes, those left out that no input knows; one pass over all placements."""
    facts, state = context.facts, context.state
    placed: dict[str, list[PodFacts | None]] = {name: [] for name in names}
    for key, placement in state.placements.items():
        if placement.node in placed:
            placed[placement.node].append(facts.pod(key, state))
    nominated = _nominated(context)
    return {
        name: _situation(node.object, pods, nominated.get(name, []))
        for name, pods in placed.items()
        if (node := facts.nodes.get(name, state.at)) is not None
    }


def _nominated(context: RefusalContext) -> dict[str, list[PodFacts]]:
    """{node: the pods nominated to it that count against the pod}."""
    found: dict[str, list[PodFacts]] = {}
    for key, node in context.state.nominations.items():
        pod = context.facts.pod(key, context.state) if key not in context.state.placements else None
        if pod is not None and counts_against(context.object, pod.object):
            found.setdefault(node, []).append(pod)
    return found


def _situation(node: Node, pods: list[PodFacts | None], nominated: list[PodFacts]) -> NodeSituation:
    """The node with these pods; one that no input knows counts as a pod that requests nothing."""
    return NodeSituation(node, _sums(pods), len(pods), _sums(nominated), len(nominated))


def _sums(pods: Iterable[PodFacts | None]) -> dict[str, int]:
    found: dict[str, int] = {}
    for pod in pods:
        for name, value in (("cpu", pod.cpu), ("memory", pod.memory), *pod.others) if pod else ():
            found[name] = found.get(name, 0) + value
    return found


def reason_of(cell: FilterCell, situation: NodeSituation | None, context: RefusalContext) -> Reason:
    """Return the reason of a refusing cell."""
    found = Explanation()
    if situation is not None:
        found = explain_refusal(cell.plugin, context.object, situation, context.requests)
    meaning = {"nores": "unres", "hid": "hidden"}.get(cell.look, "unsched")
    remedies = " and ".join(dict.fromkeys(found.remedies))
    return Reason(cell.plugin, meaning, "; ".join(found.facts), cell.reason, remedies)


def reasons_of(context: RefusalContext, node: str, cells: Iterable[FilterCell]) -> list[Reason]:
    """Return the reasons of those of the node's cells that refuse."""
    refusing = [cell for cell in cells if cell.look in REFUSING]
    situation = situations(context, [node]).get(node) if refusing else None
    return [reason_of(cell, situation, context) for cell in refusing]


def misses(context: RefusalContext, view: FrameView, usage: Usage) -> list[Miss]:
    """Return the refused nodes that came nearest, at most SHOWN, the smallest change first (see explain.nearest)."""
    names = [view.names[int(row)] for row in _preselected(view, usage, context)]
    refused = [
        (situation, tuple(cell.plugin for cell in _refusing(view, name)))
        for name, situation in situations(context, names).items()
    ]
    found = nearest_misses(context.object, refused, SHOWN, context.requests)
    return [_miss(view, miss.situation, context) for miss in found]


def _miss(view: FrameView, situation: NodeSituation, context: RefusalContext) -> Miss:
    name = situation.node.name
    return Miss(name, [reason_of(cell, situation, context) for cell in _refusing(view, name)])


def _refusing(view: FrameView, name: str) -> list[FilterCell]:
    return [cell for cell in view.cells(view.row_of[name]) if cell.look in REFUSING]


def _preselected(view: FrameView, usage: Usage, context: RefusalContext) -> Int64:
    """The refused rows with the smallest changes, by cpu and memory alone; all of them where they are few."""
    rows = view.refused
    if len(rows) <= LOOKED_AT:
        return rows
    plugins = view.frame.filter_plugins
    refusing = view.frame.codes[:, rows] != Code.SUCCESS
    _add_overlay(view, rows, refusing)
    counts = refusing.sum(axis=0)
    growth, room = counts.astype(np.float64), np.zeros(len(rows))
    if RESOURCES in plugins:
        short = np.flatnonzero(refusing[plugins.index(RESOURCES)])
        lacking, room[short] = _lacking(usage, context, view.array[rows[short]])
        growth[short] += lacking - 1
    return rows[np.lexsort((view.array[rows], room, growth, counts))[:LOOKED_AT]]


def _add_overlay(view: FrameView, rows: Int64, refusing: NDArray[np.bool_]) -> None:
    """Count refusals of the pass with nominated pods in, plugins x rows."""
    place = {int(row): i for i, row in enumerate(rows)} if view.frame.overlay else {}
    for entry in view.frame.overlay:
        if entry.row in place and entry.plugin in view.frame.filter_plugins:
            refusing[view.frame.filter_plugins.index(entry.plugin), place[entry.row]] = True


def _lacking(usage: Usage, context: RefusalContext, names: NDArray[np.str_]) -> tuple[Floats, Floats]:
    """Growth and room (see explain.nearest) that cpu and memory of the named nodes ask for."""
    pod, counted = context.pod, with_nominated(usage, context)
    at = np.array([usage.index[str(name)] for name in names], dtype=np.int64)
    growth, room = np.zeros(len(at)), np.zeros(len(at))
    for needs, used, whole in (
        (pod.cpu, counted.cpu, usage.cpu_whole),
        (pod.memory, counted.memory, usage.memory_whole),
    ):
        if needs:
            growth = np.maximum(growth, (needs - whole[at]) / needs)
            room = np.maximum(room, (needs - (whole[at] - used[at])) / needs)
    return growth, room


def with_nominated(usage: Usage, context: RefusalContext) -> Usage:
    """Return the usage with the nominated pods added that count against the context's pod."""
    nominated = [
        (usage.index[node], pod) for node, pods in _nominated(context).items() if node in usage.index for pod in pods
    ]
    if not nominated:
        return usage
    requested = usage.requested.copy()
    for at, pod in nominated:
        requested[:, at] += context.facts.column(pod)
    return replace(usage, requested=requested)

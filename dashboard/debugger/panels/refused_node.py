"""Why a node was refused, in terms of the pod and the node."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from dashboard.debugger.panels.matrix.chosen_cell import RefusalReason
from scheduler_core.explain import NodeSituation, counts_against, explain_refusal
from scheduler_core.profiles.names import FIT

if TYPE_CHECKING:
    from collections.abc import Iterable

    from dashboard.debugger.inputs.facts import Facts, PodFacts
    from dashboard.debugger.inputs.layout import Usage
    from dashboard.debugger.panels.matrix.frame_view import FilterCell
    from scheduler_core.api.objects import Node, Pod, Resources
    from scheduler_core.recording.state import RunState

RESOURCES = FIT
# Looks of cells that refuse.
REFUSING = ("no", "nores", "hid")


@dataclass(frozen=True)
class RefusalContext:
    """The cluster when the cycle began: the pod's facts, all facts, and the state.

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
    pods_by_node: dict[str, list[PodFacts]] = {}
    for key, node in context.state.nominations.items():
        pod = context.facts.pod(key, context.state) if key not in context.state.placements else None
        if pod is not None and counts_against(context.object, pod.object):
            pods_by_node.setdefault(node, []).append(pod)
    return pods_by_node


def _situation(node: Node, pods: list[PodFacts | None], nominated: list[PodFacts]) -> NodeSituation:
    """The node with these pods; one that no input knows counts as a pod that requests nothing."""
    return NodeSituation(node, _sums(pods), len(pods), _sums(nominated), len(nominated))


def _sums(pods: Iterable[PodFacts | None]) -> dict[str, int]:
    totals: dict[str, int] = {}
    for pod in pods:
        for name, value in (("cpu", pod.cpu), ("memory", pod.memory), *pod.others) if pod else ():
            totals[name] = totals.get(name, 0) + value
    return totals


def reason_of(cell: FilterCell, situation: NodeSituation | None, context: RefusalContext) -> RefusalReason:
    """Return the reason of a refusing cell."""
    facts: tuple[str, ...] = ()
    if situation is not None:
        facts = explain_refusal(cell.plugin, context.object, situation, context.requests)
    meaning = {"nores": "unres", "hid": "hidden"}.get(cell.look, "unsched")
    return RefusalReason(cell.plugin, meaning, "; ".join(facts), cell.reason)


def reasons_of(context: RefusalContext, node: str, cells: Iterable[FilterCell]) -> list[RefusalReason]:
    """Return the reasons of those of the node's cells that refuse."""
    refusing = [cell for cell in cells if cell.look in REFUSING]
    situation = situations(context, [node]).get(node) if refusing else None
    return [reason_of(cell, situation, context) for cell in refusing]


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

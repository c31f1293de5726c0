"""Why preemption did not help a pod: groups of nodes with the pods that would have had to go."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from dashboard.common.pages.numbers import grouped, plural
from dashboard.debugger.labels import listed, split_key
from dashboard.debugger.panels.missing import plain
from scheduler_core.explain import preemption as core

if TYPE_CHECKING:
    from scheduler_core.explain.preemption import NodeAnswer, PreemptionAnswer, RefusingNodes

SHOWN = 6
SHOWN_NODES = 2
SHOWN_PODS = 3


@dataclass(frozen=True)
class NoPreemptionGroup:
    """Nodes with one answer: how many, what it is, and of the first ones who would have had to go."""

    count: int
    text: str
    nodes: list[str]


@dataclass(frozen=True)
class NoPreemptionList:
    """The answer: `message` where nothing was looked at by node, and the groups, the largest first."""

    message: str
    groups: list[NoPreemptionGroup]


def no_preemption_list(answer: PreemptionAnswer) -> NoPreemptionList:
    """Return the answer in words."""
    groups = [_group(group) for group in answer.groups[:SHOWN]]
    return NoPreemptionList("" if groups else answer.message, groups)


def _group(group: RefusingNodes) -> NoPreemptionGroup:
    nodes = [obstacle for node in group.nodes[:SHOWN_NODES] if (obstacle := _in_the_way(node))]
    return NoPreemptionGroup(group.n_nodes, _text(group), nodes)


def _text(group: RefusingNodes) -> str:
    on = f"On {plural(group.n_nodes, 'node')}"
    reasons = ", ".join(plain(reason) for reason in group.reasons)
    because = f": {reasons}" if reasons else ""
    if group.why == core.NOT_MENDED:
        return f"{on} no eviction mends what {group.plugin} refuses{because}."
    if group.why == core.NO_LOWER:
        return f"{on} no pod has a lower priority than this one."
    if group.why == core.STILL_REFUSED:
        return f"{on} {group.plugin} still refuses it without the pods of lower priority{because}."
    if group.why == core.FAILED:
        return f"{on} the dry run failed{because}."
    if group.why == core.BY_EXTENDER:
        taken = "the call of an extender failed" if group.reasons else "no extender's answer has them"
        return f"{on} evictions would make room, but {taken}{because}."
    return f"{on} nothing was tried."


def _in_the_way(node: NodeAnswer) -> str:
    """ "t4-0001: train-1 (priority 1,000) and 2 more hold what is missing" """
    if not node.in_the_way:
        return ""
    pods = [f"{split_key(one.pod)[1]} (priority {grouped(one.priority)})" for one in node.in_the_way[:SHOWN_PODS]]
    rest = len(node.in_the_way) - len(pods)
    return f"{node.node}: {listed([*pods, f'{grouped(rest)} more'] if rest else pods)} would have to go"

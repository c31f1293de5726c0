"""The facts behind each verdict, as the page shows them: of one node of each group of refused nodes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dashboard.answers.answering.pending import FactsAnswer, PluginInputs
    from scheduler_core.explain.pending.model import RefusedNodeGroup

# So many groups are asked about.
SHOWN = 8


@dataclass(frozen=True)
class FactRow:
    """What the plugin that was first to refuse a group says of one of its nodes."""

    group: RefusedNodeGroup
    node: str
    inputs: PluginInputs

    @property
    def meaning(self) -> str:
        """Return the meaning of the verdict."""
        return "unres" if self.group.unresolvable else "unsched"

    @property
    def others(self) -> int:
        """Return how many more nodes the group has."""
        return self.group.count - 1


@dataclass(frozen=True)
class FactList:
    """One row a group; the plugins that refused none of these nodes, in order: those that looked at them, and those
    that the pod gives nothing to look at."""

    rows: list[FactRow]
    passed: list[str]
    skipped: list[str]


def asked_nodes(groups: Sequence[RefusedNodeGroup]) -> tuple[str, ...]:
    """Return the node of each group that is asked about: the first by name."""
    return tuple(group.nodes[0] for group in groups[:SHOWN])


def fact_list(groups: Sequence[RefusedNodeGroup], answer: FactsAnswer) -> FactList:
    """Return the answer about the groups' nodes."""
    by_node = {node.node: {one.plugin: one for one in node.filters} for node in answer.nodes}
    rows = [
        FactRow(group, group.nodes[0], by_node[group.nodes[0]][group.plugin])
        for group in groups[:SHOWN]
        if group.plugin in by_node.get(group.nodes[0], {})
    ]
    verdicts: dict[str, set[str]] = {}
    for node in answer.nodes:
        for one in node.filters:
            verdicts.setdefault(one.plugin, set()).add(one.verdict)
    passed = [plugin for plugin, codes in verdicts.items() if codes == {"passed"}]
    return FactList(rows, passed, [plugin for plugin, codes in verdicts.items() if codes == {"skipped"}])

"""The facts behind each verdict, as the page shows them: of one node of each group of refused nodes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dashboard.answers.answering.pending import FactsAnswer, PluginInputs, RefusedGroup


@dataclass(frozen=True)
class FactRow:
    """What the plugin that was first to refuse a group says of one of its nodes."""

    group: RefusedGroup
    inputs: PluginInputs

    @property
    def node(self) -> str:
        """Return the node."""
        return self.group.node

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
    """What those say that refused the pod as a whole; one row a group; the plugins that refused none of these nodes, in
    order: those that looked at them, and those that the pod gives nothing to look at."""

    pod: list[PluginInputs]
    rows: list[FactRow]
    passed: list[str]
    skipped: list[str]


def fact_list(answer: FactsAnswer) -> FactList:
    """Return the answer in rows."""
    by_node = {node.node: {one.plugin: one for one in node.filters} for node in answer.nodes}
    rows = [
        FactRow(group, by_node[group.node][group.plugin])
        for group in answer.groups
        if group.plugin in by_node.get(group.node, {})
    ]
    verdicts: dict[str, set[str]] = {}
    for node in answer.nodes:
        for one in node.filters:
            verdicts.setdefault(one.plugin, set()).add(one.verdict)
    passed = [plugin for plugin, codes in verdicts.items() if codes == {"passed"}]
    skipped = [plugin for plugin, codes in verdicts.items() if codes == {"skipped"}]
    return FactList(list(answer.pod), rows, passed, skipped)

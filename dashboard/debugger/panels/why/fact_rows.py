"""The facts behind each verdict, as the page shows them: of one node of each group of refused nodes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dashboard.answers.answering.pending import FactsAnswer, PluginInputs, RefusedGroup


@dataclass(frozen=True)
class FactRow:
    """What the plugins that refuse a group say of one of its nodes."""

    group: RefusedGroup
    inputs: tuple[PluginInputs, ...]

    @property
    def node(self) -> str:
        """Return the node."""
        return self.group.node

    @property
    def meaning(self) -> str:
        """Return the meaning of the verdict."""
        return "unres" if self.group.unresolvable else "unsched"

    @property
    def is_one_of_many(self) -> bool:
        """Return whether the group has other nodes, on which values may differ."""
        return self.group.count > 1


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
    by_node = {node.node: node.filters for node in answer.nodes}
    rows = []
    for group in answer.groups:
        inputs = tuple(one for one in by_node.get(group.node, ()) if one.plugin in group.plugins)
        if inputs:
            rows.append(FactRow(group, inputs))
    verdicts: dict[str, set[str]] = {}
    for node in answer.nodes:
        for one in node.filters:
            verdicts.setdefault(one.plugin, set()).add(one.verdict)
    passed = [plugin for plugin, codes in verdicts.items() if codes == {"passed"}]
    skipped = [plugin for plugin, codes in verdicts.items() if codes == {"skipped"}]
    return FactList(list(answer.pod), rows, passed, skipped)

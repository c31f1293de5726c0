"""The comparison as a whole: its heading and sentence, the nodes and the lines of their plugins."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from dashboard.common.pages.numbers import grouped
from scheduler_core.explain.rivals import texts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dashboard.debugger.why.node.lines import RivalLine
    from dashboard.debugger.why.node.rivals import RivalRow


@dataclass(frozen=True)
class Comparison:
    """The page's answer: heading, one sentence, the nodes, and their lines; no lines where nothing was scored.

    `difference` says where what the engine decides now is not what was recorded.
    """

    title: str
    sentence: str
    rivals: list[RivalRow]
    lines: list[RivalLine]
    best: int
    lead: int | None
    is_tie: bool
    difference: str = ""
    has_answer: bool = False

    @property
    def n_computed(self) -> int:
        """Return how many nodes have computed rather than recorded numbers."""
        return sum(one.is_computed for one in self.rivals)

    @property
    def has_refused(self) -> bool:
        """Return whether a node failed a filter, so that more can be asked about it."""
        return any(one.is_refused or not one.verdict.asked for one in self.rivals)


def title_of(rivals: Sequence[RivalRow], is_tie: bool) -> str:
    """Return the heading: which node, and which not."""
    if not rivals:
        return "Nothing to compare"
    second = rivals[1].node if len(rivals) > 1 else ""
    return texts.title(rivals[0].node, second, rivals[0].meaning == "win", is_tie)


def sentence_of(pod: str, attempt: int, rivals: Sequence[RivalRow], lines: Sequence[RivalLine], without: str) -> str:
    """Return what the first node's lead over the second comes from, and who would win without its largest part."""
    said = f"{pod}, attempt {grouped(attempt)}."
    if len(rivals) < 2:
        return said
    first, second = rivals[0], rivals[1]
    refused = [one for one in (first, second) if one.is_refused]
    if refused:
        refusals = [f"{one.node} was refused by {one.verdict.plugin}: {one.verdict.reason}" for one in refused]
        return f"{said} {'; '.join(refusals)}."
    if first.total is None or second.total is None or first.is_computed or second.is_computed:
        return f"{said} Not both were scored, so no recorded points tell them apart."
    leads = [(line.plugin, line.lead or 0) for line in lines]
    return f"{said} {texts.lead_words(leads, first.total)}.{without}"

"""A node group in the list, with its bar, and a new node with the pods that it takes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from dashboard.capacity.words import offered, tail
from dashboard.common.pages.numbers import amount, plural

if TYPE_CHECKING:
    from dashboard.answers.answering.capacity_state import GroupFacts
    from scheduler_core.capacity.adding import GroupAnswer
    from scheduler_core.capacity.table import NewNode

BAR = 84
MOST_TILES = 24


@dataclass(frozen=True)
class GroupLine:
    """A group in the list: `added` nodes of the answer, `scale` nodes a pixel of its bar."""

    facts: GroupFacts
    answer: GroupAnswer | None
    added: int
    scale: float
    url: str
    is_chosen: bool

    @property
    def offers(self) -> str:
        """What a node of it offers."""
        return f"{offered(self.facts.amounts)}{f' · {self.facts.zone}' if self.facts.zone else ''}"

    @property
    def meaning(self) -> str:
        """How its number is drawn."""
        return "bound" if self.added else "unsched" if self.is_full else "none"

    @property
    def is_full(self) -> bool:
        """Whether it has as many nodes as it may have."""
        return self.facts.maximum is not None and self.facts.present >= self.facts.maximum

    @property
    def number(self) -> str:
        """The nodes to add, "full" where none may be."""
        return "full" if self.is_full else f"+{self.added:,}"

    @property
    def size(self) -> str:
        """ "4 of 2 to 9", "3 now" """
        one = self.facts
        return (
            f"{one.present:,} now" if one.maximum is None else f"{one.present:,} of {one.minimum:,} to {one.maximum:,}"
        )

    @property
    def price(self) -> str:
        """The price of a node, "" where none is known."""
        return "" if self.facts.price is None else f"{self.facts.price:g} an hour"

    @property
    def alone(self) -> str:
        """What it does alone."""
        if self.answer is None:
            return "to be asked"
        if not self.answer.nodes:
            return "lets none run" if self.answer.codes else ""
        return f"alone: {self.answer.nodes:,} for {plural(len(self.answer.pods), 'pod')}"

    @property
    def parts(self) -> list[tuple[str, float, float]]:
        """(class, x, width) of the bar: the maximum, what is there, what is added."""
        one, scale = self.facts, self.scale
        now, most = one.present * scale, (one.maximum or one.present + self.added) * scale
        return [("max", 0.0, round(most, 1)), ("now", 0.0, round(now, 1)), ("add", round(now, 1), self.added * scale)]

    @property
    def minimum_x(self) -> float:
        """Where the tick of the minimum is, 0 for none."""
        return round(self.facts.minimum * self.scale, 1)


@dataclass(frozen=True)
class NewNodeView:
    """A new node with the pods that it takes."""

    node: NewNode

    @property
    def use(self) -> str:
        """How much of the fullest resource they use."""
        one = self.node
        if not one.resource:
            return "no pod of these"
        return f"{amount(one.used, one.resource)} of {amount(one.free, one.resource)} {tail(one.resource)}"

    @property
    def tiles(self) -> list[tuple[str, str]]:
        """(name, namespace/name) of the first pods."""
        return [(tail(key), key) for key in self.node.pods[:MOST_TILES]]

    @property
    def more(self) -> int:
        """How many pods are not drawn."""
        return len(self.node.pods) - MOST_TILES

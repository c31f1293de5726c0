"""What is found, as the list shows it: hits in groups of one kind."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from dashboard.search.marks import NamePart, marked
from dashboard.search.ranking import LETTERS

if TYPE_CHECKING:
    from collections.abc import Sequence

# How many hits of a kind are shown: beside two others or more, beside another, alone, and when the kind is opened.
FEW, SOME, ALONE, MANY = 3, 6, 11, 50


@dataclass(frozen=True)
class SearchHit:
    """One thing: its name, what else is said of it, where it opens.

    `ref` names it among what a member opened lately (recent.py): its kind and what tells it from others of the kind.
    `meaning` and `icon` are those of a status, or an icon alone.
    """

    ref: tuple[str, ...]
    label: str
    url: str
    icon: str
    sub: str = ""
    meaning: str = "queue"
    parts: list[NamePart] = field(default_factory=list)
    sub_parts: list[NamePart] = field(default_factory=list)

    def __post_init__(self) -> None:
        if not self.parts:
            self.parts.append(NamePart(self.label, False))
        if self.sub and not self.sub_parts:
            self.sub_parts.append(NamePart(self.sub, False))

    @property
    def key(self) -> str:
        """Return `ref` as the page hands it back when the hit is opened."""
        return "\t".join(self.ref)

    def marked(self, words: Sequence[str], cost: int) -> SearchHit:
        """Return the hit with the typed letters marked; `cost` is what the words cost in its name."""
        parts = marked(self.label, words, by_letters=cost >= LETTERS)
        return replace(self, parts=parts, sub_parts=marked(self.sub, words))

    def in_place(self, name: str) -> SearchHit:
        """Return the hit with the name of the run that it is in."""
        return replace(self, sub=f"{name} · {self.sub}" if self.sub else name, sub_parts=[])

    def with_mark(self, start: int, end: int) -> SearchHit:
        """Return the hit with this stretch of its name marked."""
        cut = ((self.label[:start], False), (self.label[start:end], True), (self.label[end:], False))
        return replace(self, parts=[NamePart(text, is_typed) for text, is_typed in cut if text])


@dataclass(frozen=True)
class HitGroup:
    """The hits of a kind: the best of `n`. `cost` is that of the best one, by which groups are ordered."""

    kind: str
    title: str
    hits: list[SearchHit]
    n: int
    cost: int = 0

    @property
    def n_more(self) -> int:
        """Return how many hits are not shown."""
        return self.n - len(self.hits)

    def cut(self, limit: int) -> HitGroup:
        """Return the group with at most `limit` hits."""
        return replace(self, hits=self.hits[:limit])

    @property
    def can_open(self) -> bool:
        """Return whether the kind alone would show more of them."""
        return self.n_more > 0 and len(self.hits) < MANY

"""What is found, as the list shows it: hits in groups of one kind, what was typed marked in their names."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NamedTuple

from dashboard.search.ranking import LETTERS, letters_pattern

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


class NamePart(NamedTuple):
    """A stretch of a name; `is_typed` where it is what was typed."""

    text: str
    is_typed: bool


def marked(name: str, words: Sequence[str], by_letters: bool = False) -> list[NamePart]:
    """Return the name in parts; with `by_letters` the single letters of words that it does not hold."""
    small = name.lower()
    if len(small) != len(name):
        # A letter that has two as a small one: places would not fit.
        return [NamePart(name, False)]
    typed: set[int] = set()
    for word in words:
        typed.update(_letters_of(small, word, by_letters))
    return list(_parts(name, typed))


def _letters_of(small: str, word: str, by_letters: bool) -> Iterable[int]:
    at = _place_of(small, word)
    if at >= 0:
        return range(at, at + len(word))
    match = letters_pattern(word).search(small) if by_letters else None
    return [match.start(i) for i in range(1, len(word) + 1)] if match else ()


def _place_of(small: str, word: str) -> int:
    """Where the word counts: after the last slash, at the beginning, at that of a word, else where it is first."""
    last_part = small.rfind("/") + 1
    for at in (last_part, 0):
        if small.startswith(word, at):
            return at
    first = at = small.find(word)
    while at >= 0:
        if not small[at - 1].isalnum() or not word[0].isalnum():
            return at
        at = small.find(word, at + 1)
    return first


def _parts(name: str, typed: set[int]) -> Iterable[NamePart]:
    start = 0
    for at in range(1, len(name) + 1):
        if at == len(name) or (at in typed) != (start in typed):
            yield NamePart(name[start:at], start in typed)
            start = at


# How many hits of a kind are shown: beside two others or more, beside another, alone, and when the kind is opened.
FEW, SOME, ALONE, MANY = 3, 6, 11, 50


@dataclass(frozen=True)
class SearchHit:
    """One thing: its name, what else is said of it, where it opens.

    `ref` names it among what a member opened lately (recent.py): its kind and what tells it from others of the kind.
    `meaning` and `icon` are those of a status, or an icon alone. `place` is the run or cluster that it is in, where the
    reader is not there; `why` is the page that says why a pod of a run is where it is, "" for all else.
    """

    ref: tuple[str, ...]
    label: str
    url: str
    icon: str
    sub: str = ""
    meaning: str = "queue"
    place: str = ""
    why: str = ""
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
        """Return the hit with the name of the run or cluster that it is in."""
        return replace(self, place=name)

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

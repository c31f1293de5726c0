"""Which of many names match what was typed, best first.

Every word that was typed has to be somewhere in the name. What it costs there:

| 0 | it is the whole name, or all of it after the last slash: "web-1" of "shop/web-1" |
| 1 | the name, or the part after the last slash, begins with it |
| 2 | a word of the name begins with it: "db" in "shop/orders-db-0" |
| 4 | it is inside of a word |
| 8 and more | its letters follow each other from the first on, one more for each other between, at most 20 |

The last row counts only where no name of the list holds all words as they were typed: among 50,000 pods nearly
every letter is in nearly every name. Lower costs come first, then shorter names, then the order of the list.
`static/search/ranking.js` does the same for the commands of a page; both are tested with the same cases.

Names are searched as one array of bytes, since a loop in Python over 50,000 of them takes longer than a key stroke.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    Int64 = NDArray[np.int64]

WHOLE, BEGINNING, WORD, INSIDE, LETTERS = 0, 1, 2, 4, 8
MOST_BETWEEN = 20
# More words are joined to the last one: nobody types them, and each costs a pass over the names.
MOST_WORDS = 8
_NEVER = 1_000_000
_NEWLINE, _SLASH = 10, 47
# An ASCII letter or digit, or a byte of another alphabet: what stands before it begins no word.
_OF_WORD = np.array([chr(byte).isalnum() or byte > 127 for byte in range(256)])

_BITS = np.left_shift(np.uint64(1), np.arange(256, dtype=np.uint64) % np.uint64(64))


@dataclass(frozen=True)
class BestNames:
    """`n` names match; `places` are those of the best, each with what it costs in `costs`."""

    n: int
    places: list[int]
    costs: list[int]


def typed_words(typed: str) -> list[str]:
    """Return the words of what was typed, small, at most MOST_WORDS."""
    return [word.lower() for word in typed.split(None, MOST_WORDS - 1)]


class NameList:
    """Names, none with a line break, in an order that counts among equals. About 60 bytes a name."""

    def __init__(self, names: Iterable[str]) -> None:
        text = "\n".join(name.replace("\n", " ") for name in names)
        self._names = text.encode(errors="replace")

    @cached_property
    def _small(self) -> bytes:
        return self._names.decode().lower().encode()

    @cached_property
    def _bytes(self) -> NDArray[np.uint8]:
        return np.frombuffer(self._small, dtype=np.uint8)

    @cached_property
    def _starts(self) -> Int64:
        breaks = np.flatnonzero(self._bytes == _NEWLINE)
        return np.concatenate(([0], breaks + 1)).astype(np.int64)

    @cached_property
    def _ends(self) -> Int64:
        return np.append(self._starts[1:] - 1, len(self._bytes)).astype(np.int64)

    @cached_property
    def _last_parts(self) -> Int64:
        """Where the part after the last slash begins."""
        parts = self._starts.copy()
        slashes = np.flatnonzero(self._bytes == _SLASH)
        np.maximum.at(parts, self._line_of(slashes), slashes + 1)
        return parts

    def __len__(self) -> int:
        return len(self._starts) if self._names else 0

    @cached_property
    def _name_breaks(self) -> Int64:
        letters = np.frombuffer(self._names, dtype=np.uint8)
        return np.concatenate(([-1], np.flatnonzero(letters == _NEWLINE), [len(letters)])).astype(np.int64)

    def __getitem__(self, place: int) -> str:
        breaks = self._name_breaks
        return self._names[int(breaks[place]) + 1 : int(breaks[place + 1])].decode()

    def __iter__(self) -> Iterator[str]:
        return iter(self._names.decode().split("\n") if self._names else ())

    def __contains__(self, name: str) -> bool:
        return bool(name) and b"\n" + name.encode(errors="replace") + b"\n" in b"\n" + self._names + b"\n"

    def holding(self, words: Sequence[str], limit: int) -> BestNames:
        """Return the best names that hold all words as they were typed, at most `limit`; without words the first."""
        costs = np.zeros(len(self), dtype=np.int64)
        for word in words if len(self) else ():
            costs += self._costs(word.encode(errors="replace"))
        places = np.flatnonzero(costs < _NEVER)
        return self._best(places, costs[places], limit)

    def by_letters(self, words: Sequence[str], limit: int) -> BestNames:
        """Return the best names that have the letters of all words, others between them."""
        patterns = [letters_pattern(word) for word in words]
        places, costs = [], []
        candidates = self._with_letters("".join(words))
        names = self._small.decode().split("\n") if candidates else []
        for place in candidates:
            cost = 0
            for word, pattern in zip(words, patterns, strict=True):
                match = pattern.search(names[place])
                if match is None:
                    break
                cost += LETTERS + min(match.end() - match.start() - len(word), MOST_BETWEEN)
            else:
                places.append(place)
                costs.append(cost)
        return self._best(np.array(places, dtype=np.int64), np.array(costs, dtype=np.int64), limit)

    @cached_property
    def _letter_sets(self) -> NDArray[np.uint64]:
        """The bytes of each name as a set of 64 bits; bytes that are 64 apart share one."""
        return np.bitwise_or.reduceat(_BITS[self._bytes], self._starts)

    def _with_letters(self, letters: str) -> list[int]:
        """Names that may have all these letters: the others need not be looked at one by one."""
        if not len(self):
            return []
        needed = np.bitwise_or.reduce(_BITS[np.frombuffer(letters.encode(errors="replace"), dtype=np.uint8)])
        places: list[int] = np.flatnonzero(self._letter_sets & needed == needed).tolist()
        return places

    def _costs(self, word: bytes) -> Int64:
        """What the word costs in each name, _NEVER where it is not."""
        costs = np.full(len(self), _NEVER, dtype=np.int64)
        at = self._occurrences(word)
        lines = self._line_of(at)
        is_beginning = (at == self._starts[lines]) | (at == self._last_parts[lines])
        is_whole = is_beginning & (at + len(word) == self._ends[lines])
        begins_word = ~_OF_WORD[self._bytes[np.maximum(at - 1, 0)]] | ~_OF_WORD[self._bytes[at]]
        kinds = np.select([is_whole, is_beginning, begins_word], [WHOLE, BEGINNING, WORD], INSIDE)
        np.minimum.at(costs, lines, kinds)
        return costs

    def _occurrences(self, word: bytes) -> Int64:
        end = len(self._bytes) - len(word) + 1
        at = np.flatnonzero(self._bytes[: max(end, 0)] == word[0])
        for i, byte in enumerate(word[1:], 1):
            at = at[self._bytes[at + i] == byte]
        return at

    def _line_of(self, at: Int64) -> Int64:
        return np.searchsorted(self._starts, at, side="right") - 1

    def _best(self, places: Int64, costs: Int64, limit: int) -> BestNames:
        lengths = np.minimum(self._ends[places] - self._starts[places], 0xFFF)
        order = (costs << 44) | (lengths << 32) | places
        n_best = min(limit, len(order))
        best = np.sort(np.partition(order, n_best - 1)[:n_best]) if n_best else order[:0]
        return BestNames(len(order), (best & 0xFFFFFFFF).tolist(), (best >> 44).tolist())


class Match(NamedTuple):
    """A name that matches: which list it is in, its place there, and what the words cost in it."""

    list: int
    place: int
    cost: int


def find(lists: Sequence[NameList], words: Sequence[str], limit: int, n_first: int = 0) -> tuple[list[Match], int]:
    """Return the best names of several lists, at most `limit`, and how many match in all.

    Among names at equal cost those of the first `n_first` lists come first.
    """
    best = [names.holding(words, limit) for names in lists]
    if not any(one.n for one in best):
        best = [names.by_letters(words, limit) for names in lists]
    matches = [
        Match(i, place, cost) for i, one in enumerate(best) for place, cost in zip(one.places, one.costs, strict=True)
    ]
    if len(lists) > 1:
        matches.sort(key=lambda match: (match.cost, match.list >= n_first, len(lists[match.list][match.place])))
    return matches[:limit], sum(one.n for one in best)


def letters_pattern(word: str) -> re.Pattern[str]:
    """Return a pattern of the word's letters with others between; each letter is a group.

    No part of it can give back what it took, so it is tried once per beginning.
    """
    first, *others = map(re.escape, word)
    return re.compile(f"({first})" + "".join(f"[^{one}]*+({one})" for one in others))

"""Which letters of a name are those that were typed, for the eye."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from dashboard.search.ranking import letters_pattern

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
    """Where the word counts: behind the last slash, at the beginning, at that of a word, else where it is first."""
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

"""The difference of two lists of entries, as the parts of the first that give way to entries of the second.

Edits share the entries that they leave alone, so an entry is the same where it is the same object: a timeline of
200,000 entries is compared without reading one of them.
"""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from dashboard.clusters.revisions.object_keys import canonical

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    Entry = Mapping[str, Any]


class Hunk(msgspec.Struct, array_like=True, frozen=True):
    """`removed` entries from `start` on, in the list before, give way to `entries`."""

    start: int
    removed: int
    entries: list[Any]


class EntryCounts(NamedTuple):
    """How many entries are new, have another time or object, or are gone."""

    added: int = 0
    changed: int = 0
    removed: int = 0


def hunks_between(before: Sequence[Entry], after: Sequence[Entry]) -> list[Hunk]:
    """Return what makes one list of the other, in the order of the list before."""
    places = {id(entry): place for place, entry in enumerate(before)}
    hunks: list[Hunk] = []
    fresh: list[Entry] = []
    at = 0
    for entry in after:
        place = places.get(id(entry), -1)
        if place < at:
            fresh.append(entry)
            continue
        if fresh or place > at:
            hunks.append(Hunk(at, place - at, fresh))
            fresh = []
        at = place + 1
    if fresh or at < len(before):
        hunks.append(Hunk(at, len(before) - at, fresh))
    return hunks


def applied(before: Sequence[Entry], hunks: Sequence[Hunk]) -> list[Entry]:
    """Return the list that the hunks make of another one; entries that they leave alone are shared."""
    after: list[Entry] = []
    at = 0
    for hunk in hunks:
        after += before[at : hunk.start]
        after += hunk.entries
        at = hunk.start + hunk.removed
    after += before[at:]
    return after


def count_entries(hunks: Sequence[Hunk]) -> EntryCounts:
    """Return what the hunks come to: where an entry gives way to another one, it is changed."""
    pairs = [(hunk.removed, len(hunk.entries)) for hunk in hunks]
    changed = sum(min(pair) for pair in pairs)
    return EntryCounts(sum(new for _, new in pairs) - changed, changed, sum(old for old, _ in pairs) - changed)


def sharing(before: Sequence[Entry], after: Sequence[Entry]) -> list[Entry]:
    """Return the entries of a text that somebody typed, those of the list before taken where they say the same."""
    old, new = [canonical(entry) for entry in before], [canonical(entry) for entry in after]
    shared = list(after)
    for block in difflib.SequenceMatcher(None, old, new, autojunk=False).get_matching_blocks():
        shared[block.b : block.b + block.size] = before[block.a : block.a + block.size]
    return shared

"""What changed in a followed cluster between two kept moments, or since one: by kind, object and field manager."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from dashboard.clusters.revisions import object_store
from dashboard.clusters.revisions.object_keys import normal_key
from dashboard.following.moments import folded

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dashboard.clusters.models import Following, Revision
    from dashboard.clusters.revisions.object_keys import Key

MOST_NAMED = 4
ADDED, GONE, CHANGED = range(3)


@dataclass
class KindChanges:
    """What changed of a kind: how many objects came, went and differ, by which managers, and the first of them by
    name with what became of each."""

    kind: str
    counts: list[int] = field(default_factory=lambda: [0, 0, 0])
    managers: Counter[str] = field(default_factory=Counter)
    named: list[tuple[str, str]] = field(default_factory=list)

    @property
    def total(self) -> int:
        """Return how many objects came, went or differ."""
        return sum(self.counts)

    @property
    def n_more(self) -> int:
        """Return how many are not named."""
        return self.total - len(self.named)

    @property
    def by(self) -> list[tuple[str, int]]:
        """Return the managers with how many of the objects that are there each changed last."""
        return self.managers.most_common(MOST_NAMED)


WORDS = {ADDED: "added", GONE: "gone", CHANGED: "changed"}


def counts_between(old: Revision, new: Revision) -> dict[str, list[int]]:
    """Return {kind: [added, gone, changed]} of two revisions."""
    return {one.kind: one.counts for one in between(old, new)}


def between(old: Revision, new: Revision) -> list[KindChanges]:
    """Return what changed between two revisions, most first; managers are not known of them."""
    return _changes(_addresses(old), {key: (sha256, "") for key, sha256 in _addresses(new).items()})


def since(old: Revision, following: Following) -> list[KindChanges]:
    """Return what changed from a revision to the objects as of now, most first."""
    now = {normal_key(*key): (sha256, managers) for key, sha256, managers in folded.addresses(following)}
    return _changes(_addresses(old), now)


def _addresses(revision: Revision) -> dict[Key, bytes]:
    return {normal_key(*entry.key): entry.sha256 for entry in object_store.read_index(revision)}


def _changes(old: Mapping[Key, bytes], new: Mapping[Key, tuple[bytes, str]]) -> list[KindChanges]:
    kinds: dict[str, KindChanges] = {}
    for key in sorted(old.keys() | new.keys()):
        before, (after, managers) = old.get(key), new.get(key, (None, ""))
        if before == after:
            continue
        what = ADDED if before is None else GONE if after is None else CHANGED
        one = kinds.setdefault(key.kind, KindChanges(key.kind))
        one.counts[what] += 1
        for manager in managers.split(", ") if managers else ():
            one.managers[manager] += 1
        if len(one.named) < MOST_NAMED:
            one.named.append((WORDS[what], key.path))
    return sorted(kinds.values(), key=lambda one: (-one.total, one.kind))

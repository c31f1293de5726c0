"""Attempts of two runs aligned: the same pod's attempt of the same number stands beside each other.

Both runs number the attempts of a pod by themselves, so a pair is (pod, uid, attempt). An attempt that only one run
has stands alone. The order is that of A; an attempt that only B has comes after the one that it followed in B.
Swapped runs have the same pairs, in the order of the run that is A then.

    A: 1 web/1   2 db/1            3 web/2
    B: 1 web/1            2 new/1  3 web/2    ->  (1, 1) (2, -) (-, 2) (3, 3)
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

import msgspec

SAME, OTHER_NODE, OTHER_VICTIMS = "same outcome", "other node", "other victims"
PLACED_IN_ONE, ENDED_OTHERWISE, ONLY_ONE = "placed in one only", "ended otherwise", "no such attempt in the other"
KINDS = (SAME, ONLY_ONE, ENDED_OTHERWISE, OTHER_NODE, OTHER_VICTIMS, PLACED_IN_ONE)
"""How the two attempts of a pair differ, ascending by weight: where several hold, or several pairs are summed up in
one, it is the last of these."""


class Attempt(msgspec.Struct, frozen=True):
    """An attempt: its cycle, the pod with its uid ("" for the first of its name), its number among the pod's.

    ``node`` is where it was bound, ``nominated`` where its preemption makes room for it, "" for none of it.
    """

    cycle: int
    pod: str
    uid: str
    attempt: int
    outcome: str
    node: str = ""
    nominated: str = ""
    victims: frozenset[str] = frozenset()


class AttemptPair(msgspec.Struct, frozen=True):
    """The cycles of the two attempts, 0 where a run has no such attempt, and how they differ (one of KINDS)."""

    a: int
    b: int
    kind: str

    @property
    def is_difference(self) -> bool:
        """Whether the two attempts ended in different ways."""
        return self.kind != SAME


def aligned(a: Sequence[Attempt], b: Sequence[Attempt]) -> list[AttemptPair]:
    """Pair the attempts, each side in the order of its cycles."""
    theirs = dict(zip(_keys(b), b, strict=True))
    alone = _only_in_b(a, b)
    pairs = [AttemptPair(0, other.cycle, ONLY_ONE) for other in alone.get(None, ())]
    for key, one in zip(_keys(a), a, strict=True):
        pairs.append(_pair(one, theirs.get(key)))
        pairs += (AttemptPair(0, other.cycle, ONLY_ONE) for other in alone.get(key, ()))
    return pairs


_Key = tuple[str, str, int, int]


def _keys(attempts: Iterable[Attempt]) -> list[_Key]:
    """What names each; a fourth number tells apart attempts that a recording numbers alike."""
    times: Counter[tuple[str, str, int]] = Counter()
    keys = []
    for one in attempts:
        name = one.pod, one.uid, one.attempt
        keys.append((*name, times[name]))
        times[name] += 1
    return keys


def _only_in_b(a: Sequence[Attempt], b: Sequence[Attempt]) -> dict[_Key | None, list[Attempt]]:
    """What only B has, by the attempt of both that it followed in B, None for what came before all of these."""
    common = set(_keys(a))
    behind: dict[_Key | None, list[Attempt]] = {}
    last: _Key | None = None
    for key, one in zip(_keys(b), b, strict=True):
        if key in common:
            last = key
        else:
            behind.setdefault(last, []).append(one)
    return behind


def _pair(a: Attempt, b: Attempt | None) -> AttemptPair:
    return AttemptPair(a.cycle, 0, ONLY_ONE) if b is None else AttemptPair(a.cycle, b.cycle, _kind(a, b))


def _kind(a: Attempt, b: Attempt) -> str:
    if bool(a.node) != bool(b.node):
        return PLACED_IN_ONE
    if (a.nominated, a.victims) != (b.nominated, b.victims):
        return OTHER_VICTIMS
    if a.node != b.node:
        return OTHER_NODE
    return SAME if a.outcome == b.outcome else ENDED_OTHERWISE

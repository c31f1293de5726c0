"""What an event follows from, back to an input, and what followed from it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from dashboard.debugger.events.kinds import KINDS, QUIET

if TYPE_CHECKING:
    from dashboard.debugger.events.index import EventIndex

SHOWN = 8
MOST = 400
"""So many steps back and effects are followed at most: a run's later history may all follow from one input."""
_QUIET_CODES = {code for code, kind in enumerate(KINDS) if kind in QUIET}


@dataclass(frozen=True)
class Chain:
    """Seqs around an event: `back` its causes from the first one on, `effects` what followed, both in order.

    `end` is ORIGIN or UNRECORDED where the way back ends, or a seq where it goes on; `is_cut` tells that there are more
    effects than were followed. Calls of extension points are no effects but of their own kind.
    """

    seq: int
    back: list[int]
    effects: list[int]
    end: int
    is_cut: bool

    def __contains__(self, seq: int) -> bool:
        return seq == self.seq or seq in self.members

    @property
    def members(self) -> set[int]:
        """Return the seqs of the chain."""
        return {self.seq, *self.back, *self.effects}


def chain_of(index: EventIndex, seq: int) -> Chain:
    """Return the chain of the event of that seq."""
    back: list[int] = []
    cause = int(index.causes[seq])
    while cause >= 0 and len(back) < MOST:
        back.append(cause)
        cause = int(index.causes[cause])
    effects = _effects(index, seq)
    return Chain(seq, back[::-1], effects[:MOST], cause, len(effects) > MOST)


def _effects(index: EventIndex, seq: int) -> list[int]:
    """All that followed, nearest first until there are more than MOST, then in order."""
    effects: list[int] = []
    level = [seq]
    while level and len(effects) <= MOST:
        level = [effect for cause in level for effect in index.effects(cause)]
        effects.extend(effect for effect in level if int(index.kinds[effect]) not in _QUIET_CODES)
    return sorted(effects[: MOST + 1])

"""The causes of an event, back to an input, and its effects."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from dashboard.debugger.events.kinds import KINDS, QUIET

if TYPE_CHECKING:
    from dashboard.debugger.events.index import EventIndex

SHOWN = 8
MOST = 400
"""Limit of steps back and of effects: all later events of a run may follow from one input."""
_QUIET_CODES = {code for code, kind in enumerate(KINDS) if kind in QUIET}


@dataclass(frozen=True)
class Chain:
    """Seqs around an event: `back` its causes, first cause first, `effects` what followed from it, both in order.

    `end` is ORIGIN or UNRECORDED where the causes end, or the seq of the next cause; `is_cut`: there are more effects.
    Calls of extension points count as effects only of an event of their own kind.
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


def causal_chain(index: EventIndex, seq: int) -> Chain:
    """Return the chain of the event of that seq."""
    back: list[int] = []
    cause = int(index.causes[seq])
    while cause >= 0 and len(back) < MOST:
        back.append(cause)
        cause = int(index.causes[cause])
    effects = _effects(index, seq)
    return Chain(seq, back[::-1], effects[:MOST], cause, len(effects) > MOST)


def _effects(index: EventIndex, seq: int) -> list[int]:
    """The effects, nearest first up to MOST, then sorted."""
    effects: list[int] = []
    level = [seq]
    while level and len(effects) <= MOST:
        level = [effect for cause in level for effect in index.effects(cause)]
        effects.extend(effect for effect in level if int(index.kinds[effect]) not in _QUIET_CODES)
    return sorted(effects[: MOST + 1])

"""The record of a preemption attempt, in the form that recordings store, and the choice among candidates.

There are many candidates, mostly the same ones in each attempt. So each is encoded once, a decision holds the encoded
bytes, and decodes them on request.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from scheduler_core.framework.contracts.extending.recorded import PreemptCall

ONLY, DRAW = "only", "draw"
NOT_STARTED = (1 << 63) - 1
"""Start of a pod that has none, in microseconds since the epoch: later than any."""
_SHOWN = 20


class VictimSet(msgspec.Struct, frozen=True, gc=False, array_like=True):
    """A candidate node: victims and reprieved pods by key, most important first; ``latest_start`` is the earliest start
    among the victims of the highest priority, in microseconds since the epoch."""

    node: str
    victims: tuple[str, ...]
    violations: int = 0
    reprieved: tuple[str, ...] = ()
    highest_priority: int = 0
    priority_sum: int = 0
    latest_start: int = 0


class CriterionStep(msgspec.Struct, frozen=True, gc=False):
    """One selection criterion: candidates before and after it, the best value, and the first names left."""

    criterion: str
    before: int
    after: int
    best: str
    left: tuple[str, ...] = ()


class NotCandidates(msgspec.Struct, frozen=True, gc=False):
    """Nodes that were examined in vain, with one status; ``rows`` is a bitmap (numpy.packbits over node-table rows)."""

    plugin: str
    code: int
    reasons: tuple[str, ...]
    count: int
    rows: bytes


encode: Callable[[VictimSet | tuple[Any, ...]], bytes] = msgspec.msgpack.Encoder().encode
"""A candidate as bytes, for ``pack``; a tuple of its fields gives the same."""
decode: Callable[[bytes], VictimSet] = msgspec.msgpack.Decoder(VictimSet).decode
PRIORITY_SHIFT = 1 << 31
"""Added to each priority in sums, so that more victims never weigh less (pickOneNodeForPreemption)."""
_decode_all = msgspec.msgpack.Decoder(tuple[VictimSet, ...]).decode
NONE_PACKED = msgspec.Raw(b"\x90")
"""No candidates."""


def pack(encoded: Sequence[bytes]) -> msgspec.Raw:
    """A MessagePack array of candidates that are encoded already."""
    n = len(encoded)
    if n < 16:
        head = bytes([0x90 | n])
    elif n < 1 << 16:
        head = b"\xdc" + n.to_bytes(2, "big")
    else:
        head = b"\xdd" + n.to_bytes(4, "big")
    return msgspec.Raw(b"".join([head, *encoded]))


def count(packed: msgspec.Raw) -> int:
    """How many candidates were packed."""
    head = bytes(memoryview(packed)[:5])
    if head[0] < 0xDC:
        return head[0] & 15
    return int.from_bytes(head[1:3] if head[0] == 0xDC else head[1:5], "big")


def unpack(packed: msgspec.Raw) -> tuple[VictimSet, ...]:
    """The candidates that were packed. Raises msgspec.DecodeError for anything else."""
    return _decode_all(packed)


NO_CANDIDATE = "no candidate node for preemption"
"""The message where extenders left no candidate: nothing is evicted, and the nomination stays as it is."""


class PreemptionDecision(msgspec.Struct, frozen=True):
    """The account of one attempt, with the fields of the recording's PreemptionDecided besides at, cycle and pod.

    ``nominated_node``: None leaves the nomination, "" clears it; ``chosen`` is its candidate. ``criterion``: the one
    that left a single candidate, ONLY where there was but one, DRAW where all criteria tied, "" where none was chosen.
    ``calls`` are those of extenders, which were shown the candidates ``before``; ``packed`` are those that they left.
    """

    eligible: bool
    message: str = ""
    nominated_node: str | None = None
    packed: msgspec.Raw = NONE_PACKED
    chosen: VictimSet | None = None
    steps: tuple[CriterionStep, ...] = ()
    criterion: str = ""
    tied: tuple[str, ...] = ()
    not_candidates: tuple[NotCandidates, ...] = ()
    cleared_nominations: tuple[str, ...] = ()
    potential: int = 0
    offset: int = 0
    calls: tuple[PreemptCall, ...] = ()
    before: msgspec.Raw = NONE_PACKED

    @property
    def failed(self) -> bool:
        """Whether an error ended the attempt."""
        return self.eligible and self.nominated_node is None and self.message not in ("", NO_CANDIDATE)

    @property
    def candidates(self) -> tuple[VictimSet, ...]:
        """All candidates in order of their nodes' names, created by each call."""
        return unpack(self.packed)


CRITERIA = ("fewest_violations", "lowest_highest_priority", "lowest_priority_sum", "fewest_victims", "latest_start")
"""In order; the smallest of ``criteria_values`` is best (pickOneNodeForPreemption)."""


def criteria_values(candidate: VictimSet) -> list[int]:
    """The values that the criteria compare, in the order of the criteria."""
    return [
        candidate.violations,
        candidate.highest_priority,
        candidate.priority_sum,
        len(candidate.victims),
        -candidate.latest_start,
    ]


def bitmap(rows: NDArray[np.int64]) -> bytes:
    """Rows of the node table as bits (numpy.packbits)."""
    bits = np.zeros(int(rows.max(initial=-1)) + 1, dtype=bool)
    bits[rows] = True
    return np.packbits(bits).tobytes()


def select(
    values: NDArray[np.int64], name_at: Callable[[int], str]
) -> tuple[tuple[CriterionStep, ...], NDArray[np.int64]]:
    """The criteria applied to ``values`` int64[criteria, candidates] until one is left, and the positions left."""
    steps: list[CriterionStep] = []
    left = np.arange(values.shape[1])
    names: tuple[str, ...] = ()
    for name, line in zip(CRITERIA, values, strict=True):
        before = len(left)
        if before == 1:
            break
        column = line if before == len(line) else line.take(left)
        best = int(column.min())
        is_best = column == best
        if not names or not is_best.all():
            left = left.compress(is_best)
            names = tuple([name_at(i) for i in left[:_SHOWN].tolist()])
        steps.append(CriterionStep(name, before, len(left), str(abs(best) if name == "latest_start" else best), names))
    return tuple(steps), left


def deciding(n_candidates: int, steps: Sequence[CriterionStep], n_left: int) -> str:
    """The name of what chose among ``n_candidates``, of which the criteria left ``n_left``."""
    if n_candidates == 1:
        return ONLY
    return steps[-1].criterion if n_left == 1 else DRAW

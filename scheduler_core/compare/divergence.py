"""Where two recordings part, and by which input.

A run is a function of its inputs and the engine's version. So where one of these differs, it is the cause, whatever
happened; where several do, the event decides between them where it can: a draw among the same tied nodes depends on the
seed and the policies alone, and an input that only one run has is the cause of the event that carries it out.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, cast

import msgspec

from scheduler_core.compare.decided_by import Chosen, moved_by
from scheduler_core.compare.event_words import describe, describe_decision, unlike
from scheduler_core.compare.input_differences import InputDifference
from scheduler_core.engine.inputs import RunInputs
from scheduler_core.recording import events as ev
from scheduler_core.recording.errors import RecordingError
from scheduler_core.recording.reader import RecordingReader

CAUSE = "cause"
OF_A_DRAW = ("policies", "seed")
BATCH = 1024
"""Events of both sides that are read and compared together."""


class Happened(msgspec.Struct, frozen=True):
    """An event of one side: virtual microseconds, its type as recorded, its cycle (0: in none) and pod, words, and what
    the cycle came to ("" where it is in none, or says so itself)."""

    at: int
    type: str
    cycle: int
    pod: str
    text: str
    decision: str = ""


class Divergence(msgspec.Struct, frozen=True):
    """The first event that differs. ``a`` and ``b`` are what happens there, None where that side has no further event.

    ``fields`` of the two events differ, ``CAUSE`` among them where they follow from different events; none where the
    events are of different types. ``because`` are the differing inputs that may be the cause: it is proven where there
    is one. ``is_draw``: both had the same tied nodes and drew different ones. ``at_cursor``: the sides (a, b) that end
    only because their cursor is there. ``moved_by``: where both cycles are of one pod and chose other nodes, what made
    the difference from A to B (decided_by.py), and ``moved_back`` from B to A.
    """

    seq: int
    a: Happened | None
    b: Happened | None
    fields: tuple[str, ...]
    because: tuple[str, ...]
    is_draw: bool = False
    at_cursor: tuple[bool, bool] = (False, False)
    moved_by: str = ""
    moved_back: str = ""

    def swapped(self) -> Divergence:
        """The divergence as seen from the other side."""
        moved = {"moved_by": self.moved_back, "moved_back": self.moved_by}
        return msgspec.structs.replace(self, a=self.b, b=self.a, at_cursor=self.at_cursor[::-1], **moved)

    @property
    def because_text(self) -> str:
        """Which input is the cause, or of which inputs one is; "" where none differs."""
        if len(self.because) <= 1:
            return "".join(self.because)
        return f"one of {', '.join(self.because)}"

    @property
    def text(self) -> str:
        """The divergence and its cause in sentences."""
        sides = " ".join(
            f"In {name}, {one.text}{f': {one.decision}' if one.decision else ''}."
            if one is not None
            else f"The cursor of {name} is here."
            if at_cursor
            else f"{name} has no further event."
            for name, one, at_cursor in zip("AB", (self.a, self.b), self.at_cursor, strict=True)
        )
        moved = f"What made the difference: {self.moved_by}. " if self.moved_by else ""
        return f"Event {self.seq:,} is the first that differs. {sides} {moved}{self._why()}".rstrip()

    def _why(self) -> str:
        if any(self.at_cursor):
            return ""
        draw = "Both had the same tied nodes and drew different ones. " if self.is_draw else ""
        if not self.because:
            return f"{draw}No input that is known differs."
        if len(self.because) == 1:
            return f"{draw}The cause is what differs in their inputs: {self.because[0]}."
        return f"{draw}What differs in their inputs and may be the cause: {', '.join(self.because)}."


class RecordedSide(msgspec.Struct, frozen=True):
    """One recording up to the event ``end``."""

    inputs: RunInputs
    reader: RecordingReader
    end: int

    @classmethod
    def of(cls, inputs: RunInputs, reader: RecordingReader, until: int | None = None) -> RecordedSide:
        """The recording up to its head, or to a cursor in it. Raises RecordingError for a cursor that is not there."""
        head = reader.head_seq()
        if until is not None and not 0 <= until <= head:
            raise RecordingError(f"event {until} is outside of the recording, which has {head} events")
        return cls(inputs, reader, head if until is None else until)


def first_divergence(a: RecordedSide, b: RecordedSide, differences: Sequence[InputDifference]) -> Divergence | None:
    """Where the two part; None where all their events are the same."""
    seq = first_difference(a.reader, b.reader, a.end, b.end)
    if seq is None:
        return None
    mine, other = _event(a, seq), _event(b, seq)
    cut = (mine is None and a.end < a.reader.head_seq(), other is None and b.end < b.reader.head_seq())
    is_draw = _is_draw(mine, other)
    ends = _cycle_around(a, seq, mine), _cycle_around(b, seq, other)
    return Divergence(
        seq=seq,
        a=_happened(mine, other, ends[0]),
        b=_happened(other, mine, ends[1]),
        fields=_fields(a, b, seq, mine, other),
        because=() if any(cut) else _because(a, b, mine, other, [one.what for one in differences], is_draw),
        is_draw=is_draw,
        at_cursor=cut,
        moved_by=_moved_by(a, b, *ends),
        moved_back=_moved_by(b, a, *ends[::-1]),
    )


def _event(side: RecordedSide, seq: int) -> ev.AnyEvent | None:
    return side.reader.event(seq) if seq < side.end else None


class _CycleEnd(NamedTuple):
    """The rest of a cycle: its choice, its preemption and its end."""

    chosen: ev.HostSelected | None
    preempted: ev.PreemptionDecided | None
    end: ev.CycleFinished


def _cycle_around(side: RecordedSide, seq: int, event: ev.AnyEvent | None) -> _CycleEnd | None:
    """The cycle that the event is in, to its end; None outside of cycles and where the side ends in it."""
    cycle = getattr(event, "cycle", 0)
    if not cycle or isinstance(event, ev.RunFinished):
        return None
    first, last = side.reader.cycle_span(cycle)
    if not first <= seq <= last < side.end:
        return None
    of_type = {type(one): one for _, one in side.reader.events(first, last)}
    end: Any = of_type.get(ev.CycleFinished)
    if end is None:
        return None
    return _CycleEnd(cast("Any", of_type.get(ev.HostSelected)), cast("Any", of_type.get(ev.PreemptionDecided)), end)


def _moved_by(a: RecordedSide, b: RecordedSide, mine: _CycleEnd | None, other: _CycleEnd | None) -> str:
    if mine is None or other is None or mine.end.pod != other.end.pod or mine.end.node == other.end.node:
        return ""
    chosen = (Chosen(one.end.node, one.end.cycle) for one in (mine, other))
    return moved_by(a.reader, b.reader, *chosen)


_SAYS_ITSELF = (ev.CycleFinished, ev.PreemptionDecided)


def _happened(event: ev.AnyEvent | None, other: ev.AnyEvent | None, cycle: _CycleEnd | None) -> Happened | None:
    if event is None:
        return None
    text = describe(event)
    if type(event) is type(other) and text == describe(cast("Any", other)):
        text = f"{text} ({unlike(event, cast('Any', other)) or 'for another cause'})"
    says = "" if cycle is None or isinstance(event, _SAYS_ITSELF) else describe_decision(*cycle)
    pod = event.key if isinstance(event, ev.ObjectChanged) and event.kind == "Pod" else getattr(event, "pod", "")
    number = 0 if isinstance(event, ev.RunFinished) else getattr(event, "cycle", 0)
    return Happened(event.at, str(event.__struct_config__.tag), number, pod, text, says)


def _fields(
    a: RecordedSide, b: RecordedSide, seq: int, mine: ev.AnyEvent | None, other: ev.AnyEvent | None
) -> tuple[str, ...]:
    if mine is None or other is None or type(mine) is not type(other):
        return ()
    names = [name for name in mine.__struct_fields__ if getattr(mine, name) != getattr(other, name)]
    causes = a.reader.cause(seq), b.reader.cause(seq)
    return (*names, CAUSE) if None not in causes and causes[0] != causes[1] else tuple(names)


def _is_draw(a: ev.AnyEvent | None, b: ev.AnyEvent | None) -> bool:
    if not isinstance(a, ev.HostSelected) or not isinstance(b, ev.HostSelected) or a.node == b.node:
        return False
    return a.tie_count > 1 and (a.cycle, a.total, a.tie_count, a.ties) == (b.cycle, b.total, b.tie_count, b.ties)


def _because(
    a: RecordedSide,
    b: RecordedSide,
    mine: ev.AnyEvent | None,
    other: ev.AnyEvent | None,
    differing: list[str],
    is_draw: bool,
) -> tuple[str, ...]:
    if is_draw:
        return tuple(what for what in differing if what in OF_A_DRAW) or tuple(differing)
    own = {_own_input(a, b, mine), _own_input(b, a, other)} - {""}
    return tuple(what for what in differing if what in own) or tuple(differing)


def _own_input(of: RecordedSide, against: RecordedSide, event: ev.AnyEvent | None) -> str:
    """The input that the event carries out and that the other run does not have there, "" where it carries out none."""
    if not isinstance(event, ev.ObjectChanged | ev.CreationRefused | ev.InputsChanged):
        return ""
    if event.change is not None:
        mine, other = (_at(side.inputs.changes, event.change) for side in (of, against))
        return "" if mine == other else "changes in the middle of the run"
    if event.entry is not None:
        mine, other = (_at(side.inputs.timeline.entries, event.entry) for side in (of, against))
        return "" if mine == other else "timeline"
    return ""


def _at(values: Sequence[object], index: int) -> object:
    return values[index] if index < len(values) else None


def first_difference(a: RecordingReader, b: RecordingReader, end_a: int, end_b: int) -> int | None:
    """The first seq at which the event or its cause differs, or only one has an event before its end; None for none.

    Causes are compared where both recordings have them. A chunk's header has the hash of all events up to its end, so
    equal hashes where chunks of both recordings end prove that everything before is the same. Such places are bisected;
    only what comes after the last equal one is read.
    """
    limit = min(end_a, end_b)
    for first in range(shared_prefix(a, b, limit), limit, BATCH):
        last = min(first + BATCH, limit) - 1
        difference = _difference(a, b, first, last)
        if difference is not None:
            return difference
    return None if end_a == end_b else limit


def _difference(a: RecordingReader, b: RecordingReader, first: int, last: int) -> int | None:
    events = zip(a.events(first, last), b.events(first, last), strict=True)
    causes = zip(a.causes(first, last), b.causes(first, last), strict=True)
    for ((seq, mine), (_, other)), (cause, other_cause) in zip(events, causes, strict=True):
        if mine != other or (cause != other_cause and None not in (cause, other_cause)):
            return seq
    return None


def shared_prefix(a: RecordingReader, b: RecordingReader, limit: int) -> int:
    """The last place up to ``limit`` at which chunks of both end and the hashes are the same, 0 where there is none."""
    low, high, equal_until = 0, a.store.n_chunks(), 0
    while low < high:
        middle = (low + high) // 2
        index = middle
        while index >= low and (same := _same_until(a, b, index, limit)) is None:
            index -= 1
        if index >= low and not same:
            high = index
            continue
        if index >= low:
            equal_until = a.store.header(index).end_seq
        low = middle + 1
    return equal_until


def _same_until(a: RecordingReader, b: RecordingReader, index: int, limit: int) -> bool | None:
    """Whether both have the same events up to the end of this chunk of the first; None where hashes cannot tell."""
    header = a.store.header(index)
    end = header.end_seq
    if end > limit:
        return None
    other = b.store.chunk_for_seq(end - 1)
    if other is None or other.end_seq != end or other.format_version != header.format_version:
        return None
    return header.hash == other.hash

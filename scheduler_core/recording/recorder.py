"""The recorder: takes events and frames of a run in order, maintains its state, and cuts chunks.

One recorder per run at a time. ``event`` only queues the event; it is folded into the state and encoded later, many at
once, at the latest when state, hash or chunk are asked for. A recorder made from a keyframe continues as if it had
never stopped.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Mapping, Sequence
from itertools import chain, compress, pairwise, repeat
from operator import attrgetter
from typing import Any

from scheduler_core.framework.contracts.run_context import NO_CAUSE, UNCAUSED, HasCause
from scheduler_core.framework.contracts.verdicts import ReasonTable
from scheduler_core.recording import events as ev
from scheduler_core.recording.chunks import FORMAT_VERSION, Chunk, pack_events, pack_index
from scheduler_core.recording.encodings import Encodings, distances
from scheduler_core.recording.errors import RecordingError
from scheduler_core.recording.frames.codec import CODEC, Record
from scheduler_core.recording.frames.encoder import FrameEncoder
from scheduler_core.recording.frames.frame import Frame, NodesByName, matrix_digest
from scheduler_core.recording.hashing import RecordingHash
from scheduler_core.recording.keyframes import AtStart, Keyframe, RecorderState, decode_keyframe, encode_keyframe
from scheduler_core.recording.state import REDUCERS, Placement, Reducer, RunState, apply

DIGEST_EVERY = 97
"""In every n-th cycle the whole matrix goes into the hash."""
_BATCH = 1_024
"""The most events that wait to be folded, checked once per frame: few enough to stay in the processor's cache."""


class Recorder:
    """``state`` is the RunState after the last event; ``reasons`` the run's reason table, to be used by the engine.
    ``observers`` are called with every event handed in (so no digests), once queued, and must not change anything.

    A new recording starts with the RunState before its first event; ``resume`` is the recorder's part of a keyframe. A
    reason table that exists already can be handed in; it is brought up to what the recording has. ``start`` are the
    placements before the first event, which keyframes need not have then. ``follows`` is set by the engine.
    """

    def __init__(
        self,
        resume: RecorderState | None = None,
        state: RunState | None = None,
        reasons: ReasonTable | None = None,
        start: Mapping[str, Placement] | None = None,
    ) -> None:
        self._state = state if state is not None else RunState()
        if start is None and resume is None:
            start = self._state.placements
        self._start = None if start is None else AtStart(start)
        resume = resume or RecorderState()
        self._pending: list[ev.AnyEvent] = []
        self._reducers: dict[type, Reducer] = {
            **REDUCERS,
            ev.CycleStarted: self._cycle_started,
            ev.CycleFinished: self._cycle_finished,
            ev.ObjectChanged: self._object_changed,
        }
        self._causes = array("q")
        self.follows: HasCause = UNCAUSED
        self._head = self._state.seq
        self.observers: list[Callable[[ev.AnyEvent], None]] = []
        self.reasons = reasons if reasons is not None else ReasonTable()
        _restore(self.reasons, resume.reasons)
        self._hash = RecordingHash(resume.hash)
        if self._hash.count != self._state.seq:
            raise RecordingError(f"recorder stands at seq {self._hash.count}, its state at {self._state.seq}")
        self._next_chunk = resume.next_chunk
        self._n_hashed: int = 0
        self._cycle_first_seq: int = self._state.seq
        self._frames = FrameEncoder(resume.next_chunk)
        self._nodes: NodesByName | None = None
        self._begin_chunk()
        self._n_reasons = 1 + len(resume.reasons)

    @classmethod
    def from_keyframe(
        cls,
        keyframe: Keyframe | bytes,
        reasons: ReasonTable | None = None,
        start: Mapping[str, Placement] | None = None,
    ) -> Recorder:
        """A recorder that continues after the keyframe; its state is a copy of the keyframe's.

        ``start`` as above; a keyframe of bytes may be unreadable without (RecordingError).
        """
        if isinstance(keyframe, bytes):
            keyframe = decode_keyframe(keyframe, start=start)
        return cls(keyframe.recorder, keyframe.state.copy(), reasons, start)

    @property
    def state(self) -> RunState:
        """The state after the last event. Raises RecordingError when an event cannot follow those before it."""
        if self._pending:
            self._take_in()
        return self._state

    @property
    def head_seq(self) -> int:
        """How many events there are: the seq of the next one."""
        return self._head

    @property
    def next_chunk(self) -> int:
        """Index of the chunk that is being filled."""
        return self._next_chunk

    def event(self, event: ev.AnyEvent, cause: int | None = None) -> int:
        """Take the next event and return its seq; ``cause`` is the seq of the event that caused it, None for the one
        whose consequences are being carried out.

        An event that cannot follow those before it raises when it is folded (see ``state``).
        """
        seq = self._head
        self._head = seq + 1
        self._pending.append(event)
        self._causes.append(self.follows.cause if cause is None else cause)
        if self.observers:
            for observer in self.observers:
                observer(event)
        return seq

    def frame(self, frame: Frame) -> None:
        """Record the frame of the cycle in progress; call it after NodesFiltered/NodesScored, before CycleFinished.

        No reference to the frame's arrays stays. Every DIGEST_EVERY cycles this adds a MatrixDigest event.
        """
        if self._cycle_in_progress() != frame.cycle:
            raise RecordingError(f"frame of cycle {frame.cycle}: that cycle is not in progress")
        if frame.reason_table is not self.reasons.entries:
            raise RecordingError(f"frame of cycle {frame.cycle}: its reason table is not the recorder's")
        if self._records and self._records[-1].cycle == frame.cycle:
            raise RecordingError(f"frame of cycle {frame.cycle}: recorded twice")
        self._records.append(self._frames.encode(frame))
        if frame.cycle % DIGEST_EVERY == 0:
            state = self.state
            if self._nodes is None:
                self._nodes = NodesByName(state.nodes)
            digest = matrix_digest(frame, self._nodes)
            self._pending.append(ev.MatrixDigest(at=state.at, cycle=frame.cycle, digest=digest))
            self._causes.append(NO_CAUSE)
            self._head += 1
        elif len(self._pending) >= _BATCH:
            self._take_in()

    def hash(self) -> str:
        """The recording hash of all events so far, 64 hexadecimal digits."""
        self._hash_events()
        return self._hash.hexdigest()

    def recorder_state(self) -> RecorderState:
        """The recorder's part of a keyframe, complete once everything is in chunks."""
        self._hash_events()
        return RecorderState(self._next_chunk, self.reasons.entries[1:], self._hash.state())

    def keyframe(self, engine: dict[str, Any] | None = None) -> bytes:
        """The keyframe at the head. Raises RecordingError while there are events that no chunk holds.

        Taken before the first event it is the recording's initial keyframe, which readers need for all others.
        """
        state = self.state
        if self._events:
            events = "1 event is" if len(self._events) == 1 else f"{len(self._events):,} events are"
            raise RecordingError(f"{events} in no chunk yet; cut one first")
        return encode_keyframe(Keyframe(state, engine, self.recorder_state()), self._start if state.seq else None)

    def cut_chunk(self, keyframe_extra: dict[str, Any] | None = None) -> Chunk | None:
        """A chunk of everything since the last one, None if nothing happened; with a keyframe unless the extra is None.

        Raises RecordingError inside a scheduling cycle, since chunks hold whole cycles.
        """
        current = self.state.current
        if current is not None:
            raise RecordingError(f"cycle {current.cycle} is in progress; chunks are cut between cycles")
        if not self._events:
            return None
        chunk = self._chunk()
        self._next_chunk += 1
        self._frames.chunk = self._next_chunk
        self._begin_chunk()
        if keyframe_extra is not None:
            chunk.keyframe = self.keyframe(keyframe_extra)
        return chunk

    def _take_in(self) -> None:
        """Fold the pending events into the state and encode them; the first that cannot follow is dropped."""
        pending, state = self._pending, self._state
        first = state.seq
        try:
            self._fold(pending)
        finally:
            taken = state.seq - first
            if taken and not self._events:
                self._first_at = pending[0].at
            self._events.extend(pending[:taken], distances(first, self._causes[:taken]))
            del pending[: taken + 1], self._causes[: taken + 1]
            self._head = state.seq + len(pending)

    def _fold(self, events: Sequence[ev.AnyEvent]) -> None:
        """Fold the events into the state: all of them, or those before the first that cannot follow, which raises.

        The progress of a cycle need not be folded once the cycle is over.
        """
        state, reducers = self._state, self._reducers
        first, n = state.seq, _n_in_order(state.at, events)
        over = events[: _after_last_finished(events)]
        matters = chain(map(_LASTING.__contains__, map(type, over)), repeat(True))
        try:
            for i, event in compress(enumerate(events[:n]), matters):
                state.seq = first + i
                reducers.get(type(event), apply)(state, event)
            state.seq = first + n
        finally:
            if state.seq > first:
                state.at = events[state.seq - first - 1].at
        if n < len(events):
            at = events[n].at
            raise RecordingError(f"event {first + n}: at {at} lies before the one before it ({state.at})")

    def _cycle_in_progress(self) -> int | None:
        """The cycle that was started and has not finished yet, folded or not."""
        bounds = _CYCLE_BOUNDS
        for event in reversed(self._pending):
            if type(event) in bounds:
                return event.cycle if isinstance(event, ev.CycleStarted) else None
        return None if self._state.current is None else self._state.current.cycle

    def _hash_events(self) -> None:
        """Hash the events that are not hashed yet; hashing many at once is cheaper."""
        if self._pending:
            self._take_in()
        self._hash.extend(self._events, self._n_hashed)
        self._n_hashed = len(self._events)

    def _chunk(self) -> Chunk:
        return Chunk(
            index=self._next_chunk,
            first_seq=self._state.seq - len(self._events),
            n_events=len(self._events),
            first_cycle=self._first_cycle,
            n_cycles=len(self._spans),
            first_at=self._first_at,
            last_at=self._state.at,
            codec=CODEC,
            format_version=FORMAT_VERSION,
            hash=self.hash(),
            events=pack_events(self._events),
            frames=b"".join(record.data for record in self._records),
            frame_index=pack_index(self._records, self._spans),
            reasons=tuple(self.reasons.entries[self._n_reasons :]),
        )

    def _begin_chunk(self) -> None:
        self._events = Encodings()
        self._n_hashed = 0
        self._records: list[Record] = []
        self._spans: list[tuple[int, int]] = []
        self._first_cycle = self._state.cycle + 1
        self._cycle_first_seq = self._state.seq
        self._first_at = self._state.at
        self._n_reasons = len(self.reasons.entries)

    # --- what the recorder itself tracks while it folds an event ----------------------------------------------------
    def _cycle_started(self, state: RunState, event: ev.CycleStarted) -> None:
        if state.current is not None:
            raise RecordingError(f"cycle {event.cycle} starts while cycle {state.current.cycle} is in progress")
        if event.cycle != state.cycle + 1:
            raise RecordingError(f"cycle {event.cycle} starts after cycle {state.cycle}")
        self._cycle_first_seq = state.seq
        _fold_start(state, event)

    def _cycle_finished(self, state: RunState, event: ev.CycleFinished) -> None:
        _fold_finish(state, event)
        self._spans.append((self._cycle_first_seq, state.seq))

    def _object_changed(self, state: RunState, event: ev.ObjectChanged) -> None:
        if event.kind == "Node":
            self._nodes = None
        _fold_change(state, event)


_fold_start, _fold_finish, _fold_change = map(
    REDUCERS.__getitem__, (ev.CycleStarted, ev.CycleFinished, ev.ObjectChanged)
)
_CYCLE_BOUNDS = frozenset({ev.CycleStarted, ev.CycleFinished})
_LASTING = frozenset(REDUCERS) - ev.PASSING
_time_of = attrgetter("at")


def _n_in_order(at: int, events: Sequence[ev.AnyEvent]) -> int:
    """How many of the events are in order of time, the first one being at ``at`` or later."""
    times = [at, *map(_time_of, events)]
    if times == sorted(times):
        return len(events)
    return next(i for i, (before, now) in enumerate(pairwise(times)) if now < before)


def _after_last_finished(events: Sequence[ev.AnyEvent]) -> int:
    """The position after the last CycleFinished, 0 where there is none."""
    for i in range(len(events), 0, -1):
        if type(events[i - 1]) is ev.CycleFinished:
            return i
    return 0


def _restore(table: ReasonTable, reasons: list[tuple[str, ...]]) -> None:
    """Add the recording's entries to the table under their ids. Raises RecordingError if an id has another entry."""
    held = table.entries[1 : 1 + len(reasons)]
    if held != reasons[: len(held)]:
        raise RecordingError("the reason table handed in has other entries than the recording")
    for entry in reasons:
        table.intern(entry)

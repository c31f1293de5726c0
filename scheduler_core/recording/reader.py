"""Reads a recording with random access: events by seq, frames by cycle, the state at any seq.

Chunks never change, so a few decoded ones are cached; a store may grow while it is read. A reader is not safe
for several threads at once.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Collection, Iterable, Iterator
from typing import Generic, TypeVar, get_args

from scheduler_core.recording import events as ev
from scheduler_core.recording.chunks import (
    FORMAT_VERSION,
    READABLE_FORMATS,
    ChunkHeader,
    EventBlock,
    FrameEntry,
    FrameIndex,
    describe,
)
from scheduler_core.recording.encodings import Encodings
from scheduler_core.recording.errors import RecordingError
from scheduler_core.recording.frames.codec import CODEC, MAX_DEPTH, READABLE, Layout
from scheduler_core.recording.frames.decoder import Unfolding, build_frame, fold_record
from scheduler_core.recording.frames.frame import Frame
from scheduler_core.recording.hashing import RecordingHash
from scheduler_core.recording.keyframes import Keyframe, decode_keyframe, decode_state
from scheduler_core.recording.state import RunState, apply
from scheduler_core.recording.stores import INITIAL, ChunkStore, MemoryStore

__all__ = ["INITIAL", "ChunkStore", "MemoryStore", "RecordingReader"]

KEPT_STATES = 4
"""How many states that were asked for stay in memory: cursors mostly step on from where they were."""
KEPT_UNFOLDED = 64
"""How many templates' newest records stay unfolded while frames are read in turn."""
NEAR_EVENTS = 4096
"""A state that was asked for and is no further back than this is folded from without looking at keyframes."""
NO_INITIAL = "the recording has no initial keyframe"


T = TypeVar("T")
E = TypeVar("E", bound=ev.Event)


class _Lru(Generic[T]):
    """Caches the last few values by chunk index; a None is not cached."""

    def __init__(self, limit: int, load: Callable[[int], T | None]) -> None:
        self._limit = limit
        self._load = load
        self._cached: OrderedDict[int, T] = OrderedDict()

    def find(self, index: int) -> T | None:
        if index in self._cached:
            self._cached.move_to_end(index)
            return self._cached[index]
        value = self._load(index)
        if value is not None:
            self._cached[index] = value
            if len(self._cached) > self._limit:
                self._cached.popitem(last=False)
        return value

    def get(self, index: int) -> T:
        value = self.find(index)
        if value is None:
            raise RecordingError(f"chunk {index}: there is nothing stored")
        return value


class RecordingReader:
    """Random access to one recording. ``keep`` is how many chunks of each kind of blob stay in memory."""

    def __init__(self, store: ChunkStore, keep: int = 6) -> None:
        self.store = store
        self._headers = _Lru(1024, self._load_header)
        self._blocks = _Lru(keep, self._load_events)
        self._indexes = _Lru(4 * keep, self._load_index)
        self._frames = _Lru(keep, store.frames)
        self._keyframes = _Lru(2, self._load_keyframe)
        self._first: RunState | None = None
        self._reasons: list[tuple[str, ...]] = [()]
        self._reason_chunks = 0
        self._states: list[RunState] = []

    # --- where the recording ends -----------------------------------------------------------------------------------
    def head_seq(self) -> int:
        """How many events the store holds."""
        n = self.store.n_chunks()
        return self._headers.get(n - 1).end_seq if n else self._initial().seq

    def last_cycle(self) -> int:
        """The number of the last cycle, 0 when there is none."""
        n = self.store.n_chunks()
        return self._headers.get(n - 1).end_cycle - 1 if n else self._initial().cycle

    # --- events -----------------------------------------------------------------------------------------------------
    def events(self, first: int, last: int) -> list[tuple[int, ev.AnyEvent]]:
        """(seq, event) with first <= seq <= last, fewer where the recording ends before."""
        numbered: list[tuple[int, ev.AnyEvent]] = []
        seq = max(first, 0)
        while seq <= last:
            header = self.store.chunk_for_seq(seq)
            if header is None:
                break
            events = self._blocks.get(header.index).decode(seq, last + 1)
            numbered.extend(enumerate(events, start=seq))
            seq = header.end_seq
        return numbered

    def events_without(
        self, kinds: Collection[type[ev.Event]], first: int, end: int
    ) -> Iterator[tuple[int, int | None, ev.AnyEvent]]:
        """(seq, cause as ``causes`` gives it, event) with first <= seq < end, without events of these types."""
        seq = max(first, 0)
        while seq < end and (header := self.store.chunk_for_seq(seq)) is not None:
            block = self._blocks.get(header.index)
            causes = block.causes(seq, end)
            for number, event in block.without(kinds, seq, end):
                yield number, causes[number - seq], event
            seq = header.end_seq

    def select_events(self, first: int, end: int, *kinds: type[E]) -> Iterator[tuple[int, E]]:
        """(seq, event) with first <= seq < end, only events of these types."""
        others = [kind for kind in get_args(ev.AnyEvent) if kind not in kinds]
        for number, _, event in self.events_without(others, first, end):
            if isinstance(event, kinds):
                yield number, event

    def event(self, seq: int) -> ev.AnyEvent:
        """The event. Raises RecordingError when there is none of that seq."""
        events = self.events(seq, seq)
        if not events:
            raise RecordingError(f"there is no event {seq}; the recording has {self.head_seq()}")
        return events[0][1]

    def causes(self, first: int, last: int) -> list[int | None]:
        """The seq of the event that caused each event with first <= seq <= last, fewer where the recording ends before.

        NO_CAUSE: an input or the start of the run; None: the recording is of a format without causes.
        """
        causes: list[int | None] = []
        seq = max(first, 0)
        while seq <= last:
            header = self.store.chunk_for_seq(seq)
            if header is None:
                break
            causes.extend(self._blocks.get(header.index).causes(seq, last + 1))
            seq = header.end_seq
        return causes

    def cause(self, seq: int) -> int | None:
        """The seq of the event's cause, as ``causes``. Raises RecordingError when there is no such event."""
        causes = self.causes(seq, seq)
        if not causes:
            raise RecordingError(f"there is no event {seq}; the recording has {self.head_seq()}")
        return causes[0]

    # --- cycles -----------------------------------------------------------------------------------------------------
    def cycle_span(self, cycle: int) -> tuple[int, int]:
        """(seq of CycleStarted, seq of CycleFinished). Raises RecordingError for a cycle that is not recorded."""
        return self._indexes.get(self._chunk_of_cycle(cycle)).span(cycle)

    def frame(self, cycle: int) -> Frame | None:
        """The cycle's frame; None where the cycle ended before its filter phase. Raises RecordingError otherwise."""
        return self._frame(cycle, OrderedDict())

    def frames(self, cycles: Iterable[int]) -> Iterator[Frame | None]:
        """The frames of ascending cycles as ``frame``, each folded from the previous one of its template."""
        opened: OrderedDict[int, Unfolding] = OrderedDict()
        for cycle in cycles:
            yield self._frame(cycle, opened)

    def layout(self, cycle: int) -> Layout | None:
        """The layout of the cycle's frame, read from the index of frames alone; None where it has no frame.

        Raises RecordingError for a cycle that is not recorded.
        """
        entry = self._indexes.get(self._chunk_of_cycle(cycle)).entry(cycle)
        return None if entry is None else entry.layout

    def _frame(self, cycle: int, opened: OrderedDict[int, Unfolding]) -> Frame | None:
        """``opened``: records unfolded before, by the cycle of the last one; this one takes the place of its base."""
        chunk = self._chunk_of_cycle(cycle)
        entry = self._indexes.get(chunk).entry(cycle)
        if entry is None:
            return None
        unfolded = self._open(chunk, entry, opened)
        opened[cycle] = unfolded
        if len(opened) > KEPT_UNFOLDED:
            opened.popitem(last=False)
        frame = build_frame(unfolded, self._reasons)
        if frame.cycle != cycle or frame.template != entry.template:
            raise RecordingError(f"frame of cycle {cycle}: the record there is of cycle {frame.cycle}")
        # The cached part of the reason table grows with the table; mostly it has all that the frame names.
        highest = int(frame.reasons.max(initial=0))
        if highest >= len(self._reasons) and highest >= len(self.reasons()):
            raise RecordingError(f"frame of cycle {cycle}: names a reason that the recording does not have")
        return frame

    def filter_plugins(self, cycle: int) -> tuple[str, ...]:
        """The filter plugins that the cycle asked, in their order; none where it ended before its filter phase.

        Reads the index of frames alone. Raises RecordingError for a cycle that is not recorded.
        """
        entry = self._indexes.get(self._chunk_of_cycle(cycle)).entry(cycle)
        return () if entry is None else entry.layout.filter_plugins

    def reasons(self) -> list[tuple[str, ...]]:
        """The reason table: tuples of reason strings by id."""
        n = self.store.n_chunks()
        if n > self._reason_chunks:
            self._reasons.extend(tuple(entry) for entry in self.store.reasons(self._reason_chunks))
            self._reason_chunks = n
        return self._reasons

    def node_names(self, cycle: int) -> list[str]:
        """Node names by row as of the cycle, "" where no node is; as long as the frame's n_rows or longer."""
        names = self.state_at(self.cycle_span(cycle)[0]).names_by_row()
        frame_rows = self._n_rows(cycle)
        return names + [""] * (frame_rows - len(names))

    # --- state ------------------------------------------------------------------------------------------------------
    def state_at(self, seq: int) -> RunState:
        """The state after the first ``seq`` events (0: before all, head_seq: the end); the caller may change it."""
        if not 0 <= seq <= self.head_seq():
            raise RecordingError(f"seq {seq} is outside of the recording, which has {self.head_seq()} events")
        state = self._start_for(seq)
        self.fold(state, seq)
        self._states = [state.copy(), *self._states[: KEPT_STATES - 1]]
        return state

    def fold(self, state: RunState, seq: int) -> None:
        """Bring a state of this recording forward to the seq, in place. Raises RecordingError beyond the end."""
        while state.seq < seq:
            header = self.store.chunk_for_seq(state.seq)
            if header is None:
                raise RecordingError(f"the recording ends at event {state.seq}; {seq} was asked for")
            self._fold(state, seq, header)

    def keyframe_state(self, seq: int) -> RunState:
        """The state of the newest keyframe at or before the seq; it is cached, so the caller must not change it."""
        index = self._last_index(seq)
        while index > INITIAL:
            state = self._keyframes.find(index)
            if state is not None:
                return state
            index -= 1
        return self._initial()

    def keyframe_before(self, seq: int) -> Keyframe:
        """The newest keyframe at or before the seq; to resume or branch, fold on from its state."""
        index, blob = self._keyframe_blob(seq)
        start = None if index == INITIAL else self._initial().placements
        return decode_keyframe(blob, _keyframe_name(index), start)

    def keyframe_bytes(self, seq: int) -> bytes:
        """The stored bytes of the newest keyframe at or before the seq, from which an engine resumes."""
        return self._keyframe_blob(seq)[1]

    def _keyframe_blob(self, seq: int) -> tuple[int, bytes]:
        """The newest keyframe at or before the seq: the index of its chunk, and its bytes."""
        index = self._last_index(seq)
        while (blob := self.store.keyframe(index)) is None:
            if index == INITIAL:
                raise RecordingError(NO_INITIAL)
            index -= 1
        return index, blob

    # --- check ------------------------------------------------------------------------------------------------------
    def verify_hash(self) -> str:
        """The recording hash, recomputed from all events.

        Raises RecordingError naming the first chunk whose events are not those that were hashed.
        """
        digest = RecordingHash()
        for index in range(self.store.n_chunks()):
            header = self._headers.get(index)
            if header.first_seq != digest.count:
                raise RecordingError(f"chunk {index}: begins at seq {header.first_seq}, {digest.count} was expected")
            block = self._load_events(index)
            digest.extend(Encodings(block.encoded(), block.distances))
            if digest.hexdigest() != header.hash:
                raise RecordingError(f"chunk {index}: its events differ from those that were hashed")
        return digest.hexdigest()

    # --- pieces -----------------------------------------------------------------------------------------------------
    def _chunk_of_cycle(self, cycle: int) -> int:
        header = self.store.chunk_for_cycle(cycle)
        if header is None:
            raise RecordingError(f"there is no cycle {cycle}; the recording has {self.last_cycle()}")
        return header.index

    def _n_rows(self, cycle: int) -> int:
        entry = self._indexes.get(self._chunk_of_cycle(cycle)).entry(cycle)
        return entry.layout.n_rows if entry is not None else 0

    def _open(self, chunk: int, entry: FrameEntry, opened: dict[int, Unfolding]) -> Unfolding:
        """The record's frame state: its chain folded from the key on, or from the newest record that is cached."""
        chain = self._chain(chunk, entry, opened)
        into = opened.pop(chain[-1][1].base_cycle, None) or Unfolding(entry.layout, _frame_name(chunk, entry))
        frames, of_chunk = memoryview(b""), -1
        for chunk, link in reversed(chain):
            if chunk != of_chunk:
                frames, of_chunk = memoryview(self._frames.get(chunk)), chunk
            fold_record(frames[link.offset : link.offset + link.size], _frame_name(chunk, link), into)
        return into

    def _chain(self, chunk: int, entry: FrameEntry, opened: dict[int, Unfolding]) -> list[tuple[int, FrameEntry]]:
        """(chunk, place) of the record and of those it builds on, down to the key or to what was unfolded before."""
        chain, index = [(chunk, entry)], self._indexes.get(chunk)
        while entry.base_cycle >= 0 and entry.base_cycle not in opened:
            name = _frame_name(chunk, entry)
            if len(chain) == MAX_DEPTH:
                raise RecordingError(f"{name}: chain of more than {MAX_DEPTH} records")
            if entry.base_cycle >= entry.cycle:
                raise RecordingError(f"{name}: builds on the later cycle {entry.base_cycle}")
            if not index.spans_cycle(entry.base_cycle):
                chunk = self._chunk_of_cycle(entry.base_cycle)
                index = self._indexes.get(chunk)
            below = index.entry(entry.base_cycle)
            if below is None or (below.layout is not entry.layout and below.layout != entry.layout):
                raise RecordingError(f"{name}: its base, cycle {entry.base_cycle}, has no frame of that layout")
            entry = below
            chain.append((chunk, entry))
        return chain

    def _start_for(self, seq: int) -> RunState:
        """A copy of a state at or before the seq to fold from: a recently requested one, or the newest keyframe's."""
        cached = max((state for state in self._states if state.seq <= seq), key=lambda s: s.seq, default=None)
        if cached is not None and seq - cached.seq <= NEAR_EVENTS:
            return cached.copy()
        keyframe = self.keyframe_state(seq)
        return (cached if cached is not None and cached.seq > keyframe.seq else keyframe).copy()

    def _fold(self, state: RunState, seq: int, header: ChunkHeader) -> None:
        """Bring the state up to the seq or the end of its chunk.

        For cycles that end before that, events without lasting effect are skipped; the rest is folded completely.
        """
        end, block = min(seq, header.end_seq), self._blocks.get(header.index)
        last = self._indexes.get(header.index).last_start(end)
        whole_from = max(state.seq, min(end - 1, end if last is None else last))
        for number, event in block.state_changes(state.seq, whole_from):
            state.seq = number
            apply(state, event)
        state.seq = whole_from
        for event in block.decode(whole_from, end):
            apply(state, event)

    def _last_index(self, seq: int) -> int:
        """The index of the last chunk that ends at or before the seq, INITIAL where none does."""
        header = self.store.chunk_for_seq(seq)
        return header.index - 1 if header is not None else self.store.n_chunks() - 1

    def _initial(self) -> RunState:
        """The state before the first event, which other keyframes build on."""
        if self._first is None:
            blob = self.store.keyframe(INITIAL)
            if blob is None:
                raise RecordingError(NO_INITIAL)
            self._first = decode_state(blob, _keyframe_name(INITIAL))
        return self._first

    def _load_header(self, index: int) -> ChunkHeader:
        header = self.store.header(index)
        if header.codec not in READABLE or header.format_version not in READABLE_FORMATS:
            raise RecordingError(
                f"chunk {index}: codec {header.codec}, format {header.format_version}; "
                f"this version reads codecs up to {CODEC}, formats up to {FORMAT_VERSION}"
            )
        return header

    def _load_events(self, index: int) -> EventBlock:
        header = self._headers.get(index)
        name = describe(header, "events")
        return EventBlock(self.store.events(index), header.first_seq, header.n_events, name, header.format_version)

    def _load_index(self, index: int) -> FrameIndex:
        header = self._headers.get(index)
        return FrameIndex(self.store.frame_index(index), header, describe(header, "frame index"))

    def _load_keyframe(self, index: int) -> RunState | None:
        blob = self.store.keyframe(index)
        return None if blob is None else decode_state(blob, _keyframe_name(index), self._initial().placements)


def _frame_name(chunk: int, entry: FrameEntry) -> str:
    return f"chunk {chunk}, frame of cycle {entry.cycle}"


def _keyframe_name(index: int) -> str:
    return "initial keyframe" if index == INITIAL else f"chunk {index}, keyframe"

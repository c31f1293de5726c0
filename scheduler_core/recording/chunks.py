"""Chunks: the unit in which a recording is stored. Events, frames and the keyframe are separate blobs of one chunk.

``events`` is zstd of a count, the lengths, the distances to the causes (from format 3 on; see encodings.py) and the
canonical encodings; ``frames`` are the frame records one after the other; ``frame_index`` says where they are and which
events each cycle spans. All numbers are little-endian.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import Any

import msgspec
import numpy as np
import zstandard
from numpy.typing import NDArray

from scheduler_core.framework.contracts.run_context import NO_CAUSE
from scheduler_core.recording import events as ev
from scheduler_core.recording.encodings import Encodings
from scheduler_core.recording.errors import RecordingError
from scheduler_core.recording.frames.codec import Layout, Record, decompress

FORMAT_VERSION = 3
READABLE_FORMATS = frozenset({1, 2, 3})
"""Format 1 lists the candidates of a preemption as maps; formats 1 and 2 have no causes."""
FIRST_WITH_CAUSES = 3
MAX_EVENTS_BYTES = 1 << 30
MAX_INDEX_BYTES = 1 << 28
_LEVEL = 1
_FOR_EVENTS = zstandard.ZstdCompressionParameters.from_level(3, window_log=22, write_checksum=True)
"""Decisions of preemption repeat what lies half a megabyte back, further than the level looks by itself."""
_COUNT = struct.Struct("<I")

Int64 = NDArray[np.int64]
Distances = NDArray[np.uint32]
Reasons = tuple[tuple[str, ...], ...]


class ChunkHeader(msgspec.Struct, kw_only=True):
    """What a chunk covers: n_events from first_seq on, n_cycles from first_cycle on; whole cycles only.

    ``hash`` is the recording hash of all events up to the chunk's end.
    """

    index: int
    first_seq: int
    n_events: int
    first_cycle: int
    n_cycles: int
    first_at: int
    last_at: int
    codec: int
    format_version: int
    hash: str

    @property
    def end_seq(self) -> int:
        """The seq after the chunk's last event."""
        return self.first_seq + self.n_events

    @property
    def end_cycle(self) -> int:
        """The cycle after the chunk's last one."""
        return self.first_cycle + self.n_cycles


class Chunk(ChunkHeader, kw_only=True):
    """A header with its blobs. ``reasons`` are the entries that this chunk adds to the reason table (entry 0, the empty
    tuple, is never among them); ``keyframe`` is the state after the last event, or None."""

    events: bytes
    frames: bytes
    frame_index: bytes
    reasons: Reasons = ()
    keyframe: bytes | None = None

    def header(self) -> ChunkHeader:
        """The header alone."""
        return ChunkHeader(**{name: getattr(self, name) for name in ChunkHeader.__struct_fields__})


# --- events ----------------------------------------------------------------------------------------------------------
_decode_event: Callable[[memoryview], ev.AnyEvent] = msgspec.msgpack.Decoder(ev.AnyEvent).decode


def pack_events(encodings: Encodings) -> bytes:
    """One blob of canonical encodings."""
    head = _COUNT.pack(len(encodings)), encodings.lengths().tobytes(), encodings.packed_distances()
    payload = b"".join((*head, encodings.data))
    return zstandard.ZstdCompressor(compression_params=_FOR_EVENTS).compress(payload)


def _prefixes(kinds: Iterable[type[ev.Event]]) -> tuple[bytes, ...]:
    """The first bytes of the encodings of these events, after the map's size; the event's tag always comes first."""
    tags = (str(kind.__struct_config__.tag).encode() for kind in kinds)
    return tuple(b"\xa4type" + bytes([0xA0 | len(tag)]) + tag for tag in tags)


_PASSING_PREFIXES = _prefixes(ev.PASSING)


class EventBlock:
    """The events of one chunk, decoded when asked for. Raises RecordingError for damaged bytes."""

    def __init__(
        self, blob: bytes, first_seq: int, n_events: int, name: str, format_version: int = FORMAT_VERSION
    ) -> None:
        self._name = name
        self.first_seq = first_seq
        data = decompress(blob, MAX_EVENTS_BYTES, name)
        has_causes = format_version >= FIRST_WITH_CAUSES
        start = _COUNT.size + (8 if has_causes else 4) * n_events
        if len(data) < start or _COUNT.unpack_from(data)[0] != n_events:
            raise RecordingError(f"{name}: does not hold the {n_events} events that its header says")
        lengths = np.frombuffer(data, dtype="<u4", count=n_events, offset=_COUNT.size)
        self._ends: Int64 = start + np.cumsum(lengths, dtype=np.int64)
        self._start = start
        self._bytes = data
        self._data = memoryview(data)
        if (int(self._ends[-1]) if n_events else start) != len(data):
            raise RecordingError(f"{name}: event lengths do not add up to its size")
        self.distances: Distances | None = None
        if has_causes:
            self.distances = np.frombuffer(data, dtype="<u4", count=n_events, offset=_COUNT.size + 4 * n_events)
            if (self.distances > first_seq + np.arange(n_events)).any():
                raise RecordingError(f"{name}: has an event whose cause lies before the start of the recording")

    def __len__(self) -> int:
        return len(self._ends)

    def encoded(self) -> Iterator[memoryview]:
        """The canonical encodings in order of seq."""
        start = self._start
        for end in self._ends.tolist():
            yield self._data[start:end]
            start = end

    def causes(self, first: int, end: int) -> list[int | None]:
        """The seq of the cause of each event with first <= seq < end, clipped to the block: NO_CAUSE where nothing
        recorded caused it, None where causes were not recorded."""
        low, high = max(first - self.first_seq, 0), min(end - self.first_seq, len(self))
        if low >= high:
            return []
        if self.distances is None:
            return [None] * (high - low)
        distances = enumerate(self.distances[low:high].tolist(), start=self.first_seq + low)
        return [seq - distance if distance else NO_CAUSE for seq, distance in distances]

    def payload(self) -> memoryview:
        """All canonical encodings, one after the other."""
        return self._data[self._start :]

    def decode(self, first: int, end: int) -> list[ev.AnyEvent]:
        """Events with first <= seq < end, clipped to the block."""
        low, high = max(first - self.first_seq, 0), min(end - self.first_seq, len(self))
        if low >= high:
            return []
        edges = self._edges(low, high)
        return [self._decode(low + i, edges[i], edges[i + 1]) for i in range(high - low)]

    def state_changes(self, first: int, end: int) -> list[tuple[int, ev.AnyEvent]]:
        """(seq, event) as ``decode``, without events that change only the progress of their own cycle."""
        return self._without(_PASSING_PREFIXES, first, end)

    def without(self, kinds: Collection[type[ev.Event]], first: int, end: int) -> list[tuple[int, ev.AnyEvent]]:
        """(seq, event) as ``decode``, without events of these types, which are not decoded."""
        return self._without(_prefixes(kinds), first, end)

    def _without(self, prefixes: tuple[bytes, ...], first: int, end: int) -> list[tuple[int, ev.AnyEvent]]:
        low, high = max(first - self.first_seq, 0), min(end - self.first_seq, len(self))
        if low >= high:
            return []
        edges, begins = self._edges(low, high), self._bytes.startswith
        return [
            (self.first_seq + low + i, self._decode(low + i, edges[i], edges[i + 1]))
            for i in range(high - low)
            if not begins(prefixes, edges[i] + 1)
        ]

    def _edges(self, low: int, high: int) -> list[int]:
        """Where the events begin, and the last one ends."""
        return [self._start if low == 0 else int(self._ends[low - 1]), *self._ends[low:high].tolist()]

    def _decode(self, index: int, start: int, end: int) -> ev.AnyEvent:
        try:
            return _decode_event(self._data[start:end])
        except msgspec.MsgspecError as error:
            raise RecordingError(f"{self._name}: event {self.first_seq + index}: {error}") from error


# --- frame index -----------------------------------------------------------------------------------------------------
class _IndexData(msgspec.Struct, array_like=True):
    """Frames by position: cycle, offset, size, base_cycle, template, layout; cycles: their first and last seq."""

    layouts: tuple[Layout, ...]
    frames: bytes
    cycles: bytes


class FrameEntry(msgspec.Struct):
    """Where a frame's record lies in the chunk's ``frames``, and what is needed to open it."""

    cycle: int
    offset: int
    size: int
    base_cycle: int
    template: int
    layout: Layout


def pack_index(records: Sequence[Record], spans: Sequence[tuple[int, int]]) -> bytes:
    """The frame index of records in order of cycle, and of the seq spans of the chunk's cycles."""
    layouts: dict[Layout, int] = {}
    rows, offset = [], 0
    for record in records:
        layout = layouts.setdefault(record.layout, len(layouts))
        rows.append((record.cycle, offset, len(record.data), record.base_cycle, record.template, layout))
        offset += len(record.data)
    data = _IndexData(tuple(layouts), np.array(rows, dtype="<i8").tobytes(), np.array(spans, dtype="<i8").tobytes())
    compressor = zstandard.ZstdCompressor(level=_LEVEL, write_checksum=True)
    return compressor.compress(msgspec.msgpack.encode(data))


class FrameIndex:
    """Looks up the frames and cycles of one chunk. Raises RecordingError for damaged bytes."""

    def __init__(self, blob: bytes, header: ChunkHeader, name: str) -> None:
        raw = decompress(blob, MAX_INDEX_BYTES, name)
        try:
            data = msgspec.msgpack.decode(raw, type=_IndexData)
            self._rows: Int64 = np.frombuffer(data.frames, dtype="<i8").reshape(-1, 6)
            self._spans: Int64 = np.frombuffer(data.cycles, dtype="<i8").reshape(-1, 2)
        except (msgspec.MsgspecError, ValueError) as error:
            raise RecordingError(f"{name}: cannot be read: {error}") from error
        if len(self._spans) != header.n_cycles:
            raise RecordingError(f"{name}: spans {len(self._spans)} cycles, its header says {header.n_cycles}")
        self._layouts = data.layouts
        self._first_cycle = header.first_cycle
        self._cycles = self._rows[:, 0]
        self._row_of = {cycle: row for row, cycle in enumerate(self._cycles.tolist())}
        self._check_layouts(name)

    def _check_layouts(self, name: str) -> None:
        if not all(layout.is_valid() for layout in self._layouts):
            raise RecordingError(f"{name}: has a layout that makes no sense")
        ids = self._rows[:, 5]
        if len(ids) and (int(ids.min()) < 0 or int(ids.max()) >= len(self._layouts)):
            raise RecordingError(f"{name}: names a layout that it does not have")

    def cycles(self) -> list[int]:
        """Cycles that have a frame, ascending."""
        cycles: list[int] = self._cycles.tolist()
        return cycles

    def entry(self, cycle: int) -> FrameEntry | None:
        """Where the cycle's frame is; None when the cycle has none."""
        i = self._row_of.get(cycle)
        if i is None:
            return None
        number, offset, size, base, template, layout = self._rows[i].tolist()
        return FrameEntry(number, offset, size, base, template, self._layouts[layout])

    def spans_cycle(self, cycle: int) -> bool:
        """Whether the cycle is of this chunk."""
        return 0 <= cycle - self._first_cycle < len(self._spans)

    def span(self, cycle: int) -> tuple[int, int]:
        """First and last seq of the cycle."""
        first, last = self._spans[cycle - self._first_cycle].tolist()
        return first, last

    def last_start(self, seq: int) -> int | None:
        """The first seq of the last cycle that starts before ``seq``, None where none does."""
        i = int(np.searchsorted(self._spans[:, 0], seq))
        return int(self._spans[i - 1, 0]) if i else None


def describe(header: Any, part: str) -> str:
    """A chunk's part as error messages name it."""
    return f"chunk {header.index}, {part}"

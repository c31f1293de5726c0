"""Readers of stored recordings: one per run and process, kept while it is used, safe for several threads."""

from __future__ import annotations

import threading
from bisect import bisect_right
from collections import OrderedDict
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from dashboard.runs.models import RecordingChunk, RecordingKeyframe, RunHead
from scheduler_core.recording.chunks import ChunkHeader
from scheduler_core.recording.errors import RecordingError
from scheduler_core.recording.reader import RecordingReader

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from scheduler_core.recording.events import AnyEvent

KEPT_READERS = 8
_HEADER_FIELDS = (
    *("index", "first_seq", "n_events", "first_cycle", "n_cycles", "first_at_us", "last_at_us"),
    *("codec", "format_version", "hash"),
)
_decode_reasons = msgspec.msgpack.Decoder(tuple[tuple[str, ...], ...]).decode

T = TypeVar("T")


class Replaced(RecordingError):
    """A worker that resumed the run replaced a chunk during the read: read again."""


class DatabaseChunkStore:
    """A ChunkStore over the tables of one run. Chunk headers are cached; `refresh` reads new ones."""

    def __init__(self, run_id: int) -> None:
        self.run_id = run_id
        self._headers: list[ChunkHeader] = []
        # Indexes of the chunks that end with a keyframe; -1 is the start.
        self._keyframes: set[int] = set()
        # (chunk, bytes) of frames that were read together with their index, which is always read first.
        self._frames: tuple[int, bytes] | None = None

    def reach(self, seq: int) -> None:
        """Read the headers of the chunks up to `seq`, which must be recorded; no query if they are cached."""
        if not self._keyframes or not self._headers or self._headers[-1].end_seq < seq:
            self.refresh()

    def refresh(self) -> None:
        """Read the headers of chunks written since."""
        rows = RecordingChunk.objects.filter(run_id=self.run_id, index__gte=len(self._headers)).order_by("index")
        headers = [ChunkHeader(**_named(row)) for row in rows.values_list(*_HEADER_FIELDS)]
        if headers or not self._keyframes:
            keyframes = RecordingKeyframe.objects.filter(run_id=self.run_id, chunk__gte=len(self._headers))
            self._keyframes.update(chunk - 1 for chunk in keyframes.values_list("chunk", flat=True))
        self._headers.extend(headers)

    def n_chunks(self) -> int:
        """The number of chunks."""
        return len(self._headers)

    def header(self, index: int) -> ChunkHeader:
        """The chunk's header."""
        return self._headers[index]

    def chunk_for_seq(self, seq: int) -> ChunkHeader | None:
        """The header of the chunk that holds the event, None when no chunk does."""
        at = bisect_right(self._headers, seq, key=lambda header: header.first_seq) - 1
        return self._headers[at] if at >= 0 and seq < self._headers[at].end_seq else None

    def chunk_for_cycle(self, cycle: int) -> ChunkHeader | None:
        """The header of the chunk that holds the cycle, None when no chunk does."""
        at = bisect_right(self._headers, cycle, key=lambda header: header.end_cycle)
        return self._headers[at] if at < len(self._headers) and cycle >= self._headers[at].first_cycle else None

    def events(self, index: int) -> bytes:
        """Chunk.events."""
        return self._blobs(index, "events")[0]

    def frames(self, index: int) -> bytes:
        """Chunk.frames."""
        if self._frames is not None and self._frames[0] == index:
            (_, frames), self._frames = self._frames, None
            return frames
        return self._blobs(index, "frames")[0]

    def frame_index(self, index: int) -> bytes:
        """Chunk.frame_index."""
        frame_index, frames = self._blobs(index, "frame_index", "frames")
        self._frames = (index, frames)
        return frame_index

    def keyframe(self, index: int) -> bytes | None:
        """Chunk.keyframe; for -1 the keyframe before the first event."""
        if index not in self._keyframes:
            return None
        rows = RecordingKeyframe.objects.filter(run_id=self.run_id, chunk=index + 1)
        data = rows.values_list("data", flat=True).first()
        return bytes(data) if data is not None else None

    def reasons(self, first_chunk: int) -> Sequence[tuple[str, ...]]:
        """Chunk.reasons of all known chunks from that index on, joined in order."""
        return self.stored_reasons(first_chunk, len(self._headers))

    def stored_reasons(self, first_chunk: int, end: int) -> list[tuple[str, ...]]:
        """Chunk.reasons of the stored chunks first_chunk .. end - 1, joined in order."""
        chunks = RecordingChunk.objects.filter(run_id=self.run_id, index__gte=first_chunk, index__lt=end)
        rows = chunks.order_by("index")
        return [entry for blob in rows.values_list("reasons", flat=True) for entry in _decode_reasons(bytes(blob))]

    def _blobs(self, index: int, *columns: str) -> list[bytes]:
        expected = self._headers[index].hash
        row = RecordingChunk.objects.filter(run_id=self.run_id, index=index).values_list("hash", *columns).first()
        if row is None or row[0] != expected:
            raise Replaced(f"chunk {index} of run {self.run_id} was replaced while it was read")
        return [bytes(blob) for blob in row[1:]]


def _named(row: Sequence[Any]) -> dict[str, Any]:
    names = [name.removesuffix("_us") for name in _HEADER_FIELDS]
    return dict(zip(names, row, strict=True))


class Recording:
    """A reader and its lock, valid for one packing of a run's chunks."""

    def __init__(self, run_id: int, rewrites: int) -> None:
        self.rewrites = rewrites
        self.lock = threading.RLock()
        self.store = DatabaseChunkStore(run_id)
        self.reader = RecordingReader(self.store)


_kept: OrderedDict[int, Recording] = OrderedDict()
_kept_lock = threading.Lock()


@contextmanager
def reading(run_id: int, head: RunHead | None = None) -> Iterator[RecordingReader]:
    """Yield the run's reader to this thread alone; raises RecordingError if the recording cannot be read.

    It reads up to the current head, or to `head` if given, which saves a request that loaded it a query.
    """
    head = head or RunHead.objects.filter(run_id=run_id).only("rewrites", "seq").first()
    if head is None:
        raise RecordingError(f"run {run_id} has no recording")
    recording = _recording(run_id, head.rewrites)
    with recording.lock:
        recording.store.reach(head.seq)
        yield recording.reader


def read(run_id: int, question: Callable[[RecordingReader], T], head: RunHead | None = None) -> T:
    """Return the result of `question`, called a second time if the run has gone on since its head was loaded.

    Rows are read after the head, and may name what was recorded meanwhile; a resumed run may have replaced chunks.
    """
    try:
        with reading(run_id, head) as reader:
            return question(reader)
    except Replaced:
        forget(run_id)
    except RecordingError:
        if head is None or not _has_gone_on(run_id, head):
            raise
    with reading(run_id) as reader:
        return question(reader)


def _has_gone_on(run_id: int, head: RunHead) -> bool:
    newest = RunHead.objects.filter(run_id=run_id).values_list("rewrites", "seq").first()
    return newest is not None and newest != (head.rewrites, head.seq)


def read_events(run_id: int, first: int, last: int) -> list[tuple[int, AnyEvent]]:
    """Return (seq, event) for first <= seq <= last, fewer if the recording ends before."""
    return read(run_id, lambda reader: reader.events(first, last))


def forget(run_id: int | None = None) -> None:
    """Drop the cached readers of a run, or of all runs."""
    with _kept_lock:
        if run_id is None:
            _kept.clear()
        else:
            _kept.pop(run_id, None)


def _recording(run_id: int, rewrites: int) -> Recording:
    with _kept_lock:
        recording = _kept.pop(run_id, None)
        if recording is None or recording.rewrites != rewrites:
            recording = Recording(run_id, rewrites)
        _kept[run_id] = recording
        while len(_kept) > KEPT_READERS:
            _kept.popitem(last=False)
        return recording

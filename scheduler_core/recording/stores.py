"""Stores of a recording's chunks: the contract that readers use, and a store in memory.

A store says which chunk holds what and hands out blobs one by one; the dashboard implements it over the database.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import Protocol

from scheduler_core.recording.chunks import Chunk, ChunkHeader
from scheduler_core.recording.errors import RecordingError

INITIAL = -1
"""The index under which a store keeps the keyframe before the first event."""


class ChunkStore(Protocol):
    """Where the chunks of one recording are. Indexes count from 0 without gaps; each blob is fetched on its own."""

    def n_chunks(self) -> int:
        """How many chunks there are now."""
        ...

    def header(self, index: int) -> ChunkHeader:
        """The chunk's header."""
        ...

    def chunk_for_seq(self, seq: int) -> ChunkHeader | None:
        """The header of the chunk that holds the event, None when no chunk does."""
        ...

    def chunk_for_cycle(self, cycle: int) -> ChunkHeader | None:
        """The header of the chunk that holds the cycle, None when no chunk does."""
        ...

    def events(self, index: int) -> bytes:
        """Chunk.events."""
        ...

    def frames(self, index: int) -> bytes:
        """Chunk.frames."""
        ...

    def frame_index(self, index: int) -> bytes:
        """Chunk.frame_index."""
        ...

    def keyframe(self, index: int) -> bytes | None:
        """Chunk.keyframe; for INITIAL (-1) the keyframe before the first event."""
        ...

    def reasons(self, first_chunk: int) -> Sequence[tuple[str, ...]]:
        """Chunk.reasons of all chunks from that index on, joined in order."""
        ...


class MemoryStore:
    """A ChunkStore over chunks in memory, for scripts and tests. ``initial`` is the keyframe before the first event."""

    def __init__(self, initial: bytes, chunks: Sequence[Chunk] = ()) -> None:
        self.initial = initial
        self.chunks: list[Chunk] = []
        for chunk in chunks:
            self.add(chunk)

    def add(self, chunk: Chunk | None) -> None:
        """Append what cut_chunk gave (None adds nothing). Raises RecordingError on a gap."""
        if chunk is None:
            return
        expected = self.chunks[-1].end_seq if self.chunks else chunk.first_seq
        if chunk.index != len(self.chunks) or chunk.first_seq != expected:
            raise RecordingError(
                f"chunk {chunk.index} from seq {chunk.first_seq} was added where chunk {len(self.chunks)} from seq "
                f"{expected} comes next"
            )
        self.chunks.append(chunk)

    def n_chunks(self) -> int:
        """How many chunks there are."""
        return len(self.chunks)

    def header(self, index: int) -> ChunkHeader:
        """The chunk's header."""
        return self.chunks[index].header()

    def chunk_for_seq(self, seq: int) -> ChunkHeader | None:
        """The header of the chunk that holds the event, None when no chunk does."""
        i = bisect_right(self.chunks, seq, key=lambda chunk: chunk.first_seq) - 1
        return self.header(i) if i >= 0 and seq < self.chunks[i].end_seq else None

    def chunk_for_cycle(self, cycle: int) -> ChunkHeader | None:
        """The header of the chunk that holds the cycle, None when no chunk does."""
        i = bisect_right(self.chunks, cycle, key=lambda chunk: chunk.end_cycle)
        return self.header(i) if i < len(self.chunks) and cycle >= self.chunks[i].first_cycle else None

    def events(self, index: int) -> bytes:
        """Chunk.events."""
        return self.chunks[index].events

    def frames(self, index: int) -> bytes:
        """Chunk.frames."""
        return self.chunks[index].frames

    def frame_index(self, index: int) -> bytes:
        """Chunk.frame_index."""
        return self.chunks[index].frame_index

    def keyframe(self, index: int) -> bytes | None:
        """Chunk.keyframe, or the initial one."""
        return self.initial if index == INITIAL else self.chunks[index].keyframe

    def reasons(self, first_chunk: int) -> Sequence[tuple[str, ...]]:
        """Chunk.reasons from that index on."""
        return [entry for chunk in self.chunks[first_chunk:] for entry in chunk.reasons]

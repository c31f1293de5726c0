"""The chunks of a run as its session produces them: the committed ones, and one that is not committed yet."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dashboard.runs.storage.recordings import DatabaseChunkStore

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scheduler_core.recording.chunks import Chunk

# Frames refer to key frames at most four chunks back.
CHUNKS_IN_MEMORY = 6


class SessionChunkStore(DatabaseChunkStore):
    """A ChunkStore of the first `n_chunks` stored chunks of a run (None: all), and of those that its session adds.

    The last of these are in memory; older ones are committed and are read from the tables.
    """

    def __init__(self, run_id: int, n_chunks: int | None = None) -> None:
        super().__init__(run_id)
        self.refresh()
        if n_chunks is not None:
            # After a resume, what the session is going to replace is stored after them.
            del self._headers[n_chunks:]
            self._keyframes = {index for index in self._keyframes if index < n_chunks}
        self._added: dict[int, Chunk] = {}

    def add(self, chunk: Chunk) -> None:
        """Append the session's next chunk."""
        if chunk.index != len(self._headers):
            raise ValueError(f"chunk {chunk.index} does not follow {len(self._headers)} chunks")
        self._headers.append(chunk.header())
        self._added[chunk.index] = chunk
        if chunk.keyframe is not None:
            self._keyframes.add(chunk.index)
        if len(self._added) > CHUNKS_IN_MEMORY:
            del self._added[min(self._added)]

    def events(self, index: int) -> bytes:
        """Chunk.events."""
        chunk = self._added.get(index)
        return super().events(index) if chunk is None else chunk.events

    def frames(self, index: int) -> bytes:
        """Chunk.frames."""
        chunk = self._added.get(index)
        return super().frames(index) if chunk is None else chunk.frames

    def frame_index(self, index: int) -> bytes:
        """Chunk.frame_index."""
        chunk = self._added.get(index)
        return super().frame_index(index) if chunk is None else chunk.frame_index

    def keyframe(self, index: int) -> bytes | None:
        """Chunk.keyframe; for -1 the keyframe before the first event."""
        chunk = self._added.get(index)
        return super().keyframe(index) if chunk is None else chunk.keyframe

    def reasons(self, first_chunk: int) -> Sequence[tuple[str, ...]]:
        """Chunk.reasons of all chunks from that index on, joined in order."""
        added = [self._added[index] for index in sorted(self._added) if index >= first_chunk]
        stored = self.stored_reasons(first_chunk, added[0].index if added else len(self._headers))
        return [*stored, *(entry for chunk in added for entry in chunk.reasons)]

"""Event types, frames, codec, reader with random access: the only format that replay reads."""

from __future__ import annotations

from scheduler_core.recording.chunks import Chunk, ChunkHeader
from scheduler_core.recording.errors import RecordingError
from scheduler_core.recording.frames.frame import Cell, FilterVerdict, Frame, NodesByName, OverlayEntry, matrix_digest
from scheduler_core.recording.keyframes import Keyframe, RecorderState, decode_keyframe, encode_keyframe
from scheduler_core.recording.reader import RecordingReader
from scheduler_core.recording.recorder import DIGEST_EVERY, Recorder
from scheduler_core.recording.row_builder import RowBuilder, summary_rows
from scheduler_core.recording.rows import SummaryRows
from scheduler_core.recording.state import Lanes, QueueEntry, RunState, apply, lanes
from scheduler_core.recording.stores import INITIAL, ChunkStore, MemoryStore

__all__ = [
    "DIGEST_EVERY",
    "INITIAL",
    "Cell",
    "Chunk",
    "ChunkHeader",
    "ChunkStore",
    "FilterVerdict",
    "Frame",
    "Keyframe",
    "Lanes",
    "MemoryStore",
    "NodesByName",
    "OverlayEntry",
    "QueueEntry",
    "Recorder",
    "RecorderState",
    "RecordingError",
    "RecordingReader",
    "RowBuilder",
    "RunState",
    "SummaryRows",
    "apply",
    "decode_keyframe",
    "encode_keyframe",
    "lanes",
    "matrix_digest",
    "summary_rows",
]

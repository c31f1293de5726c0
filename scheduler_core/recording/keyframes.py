"""Keyframes: everything that restores, branches and resumes a run at one seq."""

from __future__ import annotations

from typing import Any, TypeVar

import msgspec
import zstandard

from scheduler_core.recording.codec import decompress
from scheduler_core.recording.errors import RecordingError
from scheduler_core.recording.hashing import HashState
from scheduler_core.recording.state import RunState

MAX_KEYFRAME_BYTES = 1 << 31
_LEVEL = 1


class RecorderState(msgspec.Struct):
    """What a recorder goes on from: the next chunk's index, the reason table without its entry 0, and the hash."""

    next_chunk: int = 0
    reasons: list[tuple[str, ...]] = []
    hash: HashState = msgspec.field(default_factory=HashState)


class Keyframe(msgspec.Struct):
    """The state at a seq, the engine's own JSON-ready part (None where the engine gave none), the recorder's part."""

    state: RunState
    engine: dict[str, Any] | None = None
    recorder: RecorderState = msgspec.field(default_factory=RecorderState)


class _StateOnly(msgspec.Struct):
    state: RunState


def encode_keyframe(keyframe: Keyframe) -> bytes:
    """The keyframe as compressed MessagePack. Raises RecordingError when the engine's part is not JSON-ready."""
    try:
        data = msgspec.msgpack.encode(keyframe)
    except (TypeError, OverflowError, msgspec.MsgspecError) as error:
        raise RecordingError(f"keyframe at seq {keyframe.state.seq} cannot be written: {error}") from error
    return zstandard.ZstdCompressor(level=_LEVEL, write_checksum=True).compress(data)


def decode_keyframe(blob: bytes, name: str = "keyframe") -> Keyframe:
    """The keyframe. Raises RecordingError, beginning with ``name``, for damaged bytes."""
    return _decode(blob, name, Keyframe)


def decode_state(blob: bytes, name: str = "keyframe") -> RunState:
    """The keyframe's state alone, without building the engine's part. Raises RecordingError as decode_keyframe does."""
    return _decode(blob, name, _StateOnly).state


T = TypeVar("T")


def _decode(blob: bytes, name: str, kind: type[T]) -> T:
    data = decompress(blob, MAX_KEYFRAME_BYTES, name)
    try:
        return msgspec.msgpack.decode(data, type=kind)
    except msgspec.MsgspecError as error:
        raise RecordingError(f"{name}: cannot be read: {error}") from error

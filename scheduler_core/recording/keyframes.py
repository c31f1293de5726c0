"""Keyframes: everything that restores, branches and resumes a run at one seq."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from itertools import compress, islice
from operator import eq, is_not
from typing import Any, TypeVar

import msgspec
import zstandard

from scheduler_core.recording.errors import RecordingError
from scheduler_core.recording.frames.codec import decompress
from scheduler_core.recording.hashing import HashState
from scheduler_core.recording.state import Placement, RunState

MAX_KEYFRAME_BYTES = 1 << 31
_LEVEL = 1


class RecorderState(msgspec.Struct):
    """What a recorder goes on from: the next chunk's index, the reason table without its entry 0, and the hash."""

    next_chunk: int = 0
    reasons: list[tuple[str, ...]] = []
    hash: HashState = msgspec.field(default_factory=HashState)


class Keyframe(msgspec.Struct):
    """The state at a seq, the engine's own JSON-ready part (None where the engine gave none), the recorder's part.

    As stored, ``state.placements`` may have only those that are not as they were at the start of the recording; then
    ``left`` names pods whose placement at the start ended (None: all placements are there).
    """

    state: RunState
    engine: dict[str, Any] | None = None
    recorder: RecorderState = msgspec.field(default_factory=RecorderState)
    left: list[str] | None = None


class _StateOnly(msgspec.Struct):
    state: RunState
    left: list[str] | None = None


V = TypeVar("V")


def since_start(now: Mapping[str, V], start: Mapping[str, V]) -> tuple[dict[str, V], list[str]]:
    """What is not the same object at the same place in the order as at the start, and what is no more: see
    ``as_of_start``. Both are dicts."""
    is_same_key = list(map(eq, now, start))
    n = is_same_key.index(False) if False in is_same_key else len(is_same_key)
    is_other = map(is_not, islice(now.values(), n), start.values())
    others: dict[str, V] = dict(compress(now.items(), is_other))
    gone: list[str] = []
    if n == len(start):
        others.update(islice(now.items(), n, None))
        return others, gone
    keys = islice(now, n, None)
    current = next(keys, None)
    for key, value in islice(start.items(), n, None):
        if key != current:
            gone.append(key)
            continue
        if now[key] is not value:
            others[key] = now[key]
        current = next(keys, None)
    if current is not None:
        others[current] = now[current]
        others.update((key, now[key]) for key in keys)
    return others, gone


def as_of_start(start: Mapping[str, V], others: Mapping[str, V], gone: Collection[str]) -> dict[str, V]:
    """What there is now, in its order: the inverse of ``since_start``."""
    now = dict(start)
    for key in gone:
        now.pop(key, None)
    now.update(others)
    return now


def encode_keyframe(keyframe: Keyframe, start: Mapping[str, Placement] | None = None) -> bytes:
    """The keyframe as compressed MessagePack; with the placements at the start, only what is new since.

    Raises RecordingError when the engine's part is not JSON-ready.
    """
    if start is not None:
        placements, left = since_start(keyframe.state.placements, start)
        state = msgspec.structs.replace(keyframe.state, placements=placements)
        keyframe = Keyframe(state, keyframe.engine, keyframe.recorder, left)
    try:
        data = msgspec.msgpack.encode(keyframe)
    except (TypeError, OverflowError, msgspec.MsgspecError) as error:
        raise RecordingError(f"keyframe at seq {keyframe.state.seq} cannot be written: {error}") from error
    return zstandard.ZstdCompressor(level=_LEVEL, write_checksum=True).compress(data)


def decode_keyframe(blob: bytes, name: str = "keyframe", start: Mapping[str, Placement] | None = None) -> Keyframe:
    """The keyframe with all placements; ``start`` are those at the start of the recording, which later ones need.

    Raises RecordingError, beginning with ``name``, for damaged bytes, and where ``start`` is missing.
    """
    keyframe = _decode(blob, name, Keyframe)
    _complete(keyframe, name, start)
    return keyframe


def decode_state(blob: bytes, name: str = "keyframe", start: Mapping[str, Placement] | None = None) -> RunState:
    """The keyframe's state alone, without building the engine's part. Raises RecordingError as decode_keyframe does."""
    keyframe = _decode(blob, name, _StateOnly)
    _complete(keyframe, name, start)
    return keyframe.state


def _complete(keyframe: Keyframe | _StateOnly, name: str, start: Mapping[str, Placement] | None) -> None:
    if keyframe.left is None:
        return
    if start is None:
        raise RecordingError(f"{name}: cannot be read without the placements at the start of the recording")
    keyframe.state.placements = as_of_start(start, keyframe.state.placements, keyframe.left)
    keyframe.left = None


T = TypeVar("T")


def _decode(blob: bytes, name: str, kind: type[T]) -> T:
    data = decompress(blob, MAX_KEYFRAME_BYTES, name)
    try:
        return msgspec.msgpack.decode(data, type=kind)
    except msgspec.MsgspecError as error:
        raise RecordingError(f"{name}: cannot be read: {error}") from error

"""Keyframes: everything that restores, branches and resumes a run at one seq."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from itertools import compress
from operator import ne, not_
from typing import Any, Generic, TypeVar

import msgspec
import zstandard

from scheduler_core.recording.errors import RecordingError
from scheduler_core.recording.frames.codec import decompress
from scheduler_core.recording.hashing import HashState
from scheduler_core.recording.state import Placement, RunState

MAX_KEYFRAME_BYTES = 1 << 31
_LEVEL = 1
_BLOCK = 256


class RecorderState(msgspec.Struct):
    """The state that a recorder continues from: next chunk's index, reason table without its entry 0, and hash."""

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


class AtStart(Generic[V]):
    """The entries at the start of a run: keys and values in order, listed once for all its keyframes."""

    __slots__ = ("keys", "values")

    def __init__(self, start: Mapping[str, V]) -> None:
        self.keys, self.values = list(start), list(start.values())


def since_start(
    now: Mapping[str, V], start: AtStart[V], differ: Callable[[V, V], bool] = ne
) -> tuple[dict[str, V], list[str]]:
    """The entries that are new, changed or moved since the start, and the keys that are gone: see ``as_of_start``.

    Most entries are unchanged, so lists are compared block by block. ``differ`` compares the values of a block that is
    not equal; ``is_not`` suits large values, where storing an equal one again does no harm.
    """
    keys, values = list(now), list(now.values())
    as_they_were, n, gone = start.values, len(start.keys), []
    if (keys if len(keys) == n else keys[:n]) != start.keys:
        stays = _in_place(now, keys, start.keys)
        gone = list(compress(start.keys, map(not_, stays)))
        as_they_were, n = list(compress(start.values, stays)), n - len(gone)
    others: dict[str, V] = {}
    for first in range(0, n, _BLOCK):
        block = slice(first, min(first + _BLOCK, n))
        current, former = values[block], as_they_were[block]
        if current != former:
            others.update(compress(zip(keys[block], current, strict=True), map(differ, current, former)))
    if len(keys) > n:
        others.update(zip(keys[n:], values[n:], strict=True))
    return others, gone


def _in_place(now: Mapping[str, V], keys: Sequence[str], at_start: Sequence[str]) -> Sequence[bool]:
    """For each key of the start, whether it is still among ``keys``, the present ones, in the same relative order."""
    stays = list(map(now.__contains__, at_start))
    remaining = list(compress(at_start, stays))
    if remaining == keys[: len(remaining)]:
        return stays
    position = 0
    for i, key in enumerate(at_start):  # some were removed and added again, so they come after the others
        stays[i] = position < len(keys) and keys[position] == key
        position += stays[i]
    return stays


def as_of_start(start: Mapping[str, V], others: Mapping[str, V], gone: Collection[str]) -> dict[str, V]:
    """The present entries in order, from those at the start: the inverse of ``since_start``."""
    now = dict(start)
    for key in gone:
        now.pop(key, None)
    now.update(others)
    return now


def encode_keyframe(keyframe: Keyframe, start: AtStart[Placement] | None = None) -> bytes:
    """The keyframe as compressed MessagePack; given the placements at the start, it holds only the differences.

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

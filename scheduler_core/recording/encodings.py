"""A buffer of canonical event encodings (MessagePack of the struct, fields in order of definition) and their causes.

A cause is stored as the distance back to the event that caused it, in seqs; 0 means that nothing recorded caused it.
Distances are small and similar from cycle to cycle, so each compresses to well under a byte.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec
import numpy as np
from numpy.typing import ArrayLike, NDArray

_encode_into = msgspec.msgpack.Encoder().encode_into
_AT_END = -1
_SIZE = 4


def distances(first: int, causes: Sequence[int]) -> NDArray[np.uint32]:
    """How far back the cause of each event lies, 0 for none, little-endian; ``causes`` are seqs, below 0 for none, of
    events from ``first`` on (an array of int64 is read as it lies)."""
    seqs = np.arange(first, first + len(causes))
    back = seqs - np.array(causes, dtype=np.int64)
    back[back > seqs] = 0
    return back.astype("<u4")


class Encodings:
    """``data`` holds the encodings, ``ends`` the position in it after each one.

    It is one growing buffer, because hashing and compression take it without joining separate encodings. The distances
    to the causes are a second buffer with four bytes each; recordings before format 3 have none.
    """

    __slots__ = ("_distances", "data", "ends")

    def __init__(self, encoded: Iterable[bytes | memoryview] = (), distances: ArrayLike | None = (), /) -> None:
        self.data = bytearray()
        self.ends: list[int] = []
        self._distances = None if distances is None else bytearray(np.asarray(distances, dtype="<u4").tobytes())
        for one in encoded:
            self.data += one
            self.ends.append(len(self.data))

    def __len__(self) -> int:
        return len(self.ends)

    def extend(self, events: Iterable[msgspec.Struct], distances: ArrayLike) -> None:
        """Append the encodings of the events; ``distances`` has one entry for each."""
        assert self._distances is not None
        self._distances += np.asarray(distances, dtype="<u4").tobytes()
        data, ended = self.data, self.ends.append
        for event in events:
            _encode_into(event, data, _AT_END)
            ended(len(data))

    def lengths(self) -> NDArray[np.uint32]:
        """The size of each encoding, little-endian."""
        ends = np.array(self.ends, dtype="<u4")
        ends[1:] -= ends[:-1].copy()
        return ends

    def packed_distances(self, first: int = 0, end: int | None = None) -> bytes:
        """The distances of encodings ``first`` to ``end`` as little-endian uint32; empty where there are no causes."""
        if self._distances is None:
            return b""
        return bytes(self._distances[_SIZE * first : None if end is None else _SIZE * end])

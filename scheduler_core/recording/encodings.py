"""Canonical encodings of events (MessagePack of the struct, fields in order of definition), one after the other, with
the cause of each.

A cause is stored as the distance back to the event that caused it, in seqs; 0 means that nothing recorded caused it.
Distances are small and repeat from cycle to cycle, so that they compress to well under a byte each.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec
import numpy as np
from numpy.typing import NDArray

_encode_into = msgspec.msgpack.Encoder().encode_into
_AT_END = -1


def distances(first: int, causes: Sequence[int]) -> list[int]:
    """How far back the cause of each event lies, 0 for none; ``causes`` are seqs, below 0 for none, of events from
    ``first`` on."""
    seqs = np.arange(first, first + len(causes))
    back = seqs - np.array(causes, dtype=np.int64)
    back[back > seqs] = 0
    distances_back: list[int] = back.tolist()
    return distances_back


class Encodings:
    """``data`` holds the encodings, ``ends`` the position in it after each one, ``distances`` those to the causes.

    One growing buffer is hashed and compressed as it lies, which separate encodings would have to be joined for.
    ``distances`` is None for recordings before format 3, which have no causes.
    """

    __slots__ = ("data", "distances", "ends")

    def __init__(self, encoded: Iterable[bytes | memoryview] = (), distances: Iterable[int] | None = (), /) -> None:
        self.data = bytearray()
        self.ends: list[int] = []
        self.distances: list[int] | None = None if distances is None else list(distances)
        for one in encoded:
            self.data += one
            self.ends.append(len(self.data))

    def __len__(self) -> int:
        return len(self.ends)

    def extend(self, events: Iterable[msgspec.Struct], distances: Sequence[int]) -> None:
        """Encode the events after the others; ``distances`` has one entry for each."""
        assert self.distances is not None
        self.distances += distances
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
        return b"" if self.distances is None else np.array(self.distances[first:end], dtype="<u4").tobytes()

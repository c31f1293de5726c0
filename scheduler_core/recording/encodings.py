"""Canonical encodings of events (MessagePack of the struct, fields in order of definition), one behind the other."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec
import numpy as np
from numpy.typing import NDArray

_encode_into = msgspec.msgpack.Encoder().encode_into
_AT_END = -1


class Encodings:
    """``data`` holds the encodings, ``ends`` the position in it behind each one.

    One growing buffer is hashed and compressed as it lies, which separate encodings would have to be joined for.
    """

    __slots__ = ("data", "ends")

    def __init__(self, encoded: Iterable[bytes | memoryview] = ()) -> None:
        self.data = bytearray()
        self.ends: list[int] = []
        for one in encoded:
            self.data += one
            self.ends.append(len(self.data))

    def __len__(self) -> int:
        return len(self.ends)

    def extend(self, events: Iterable[msgspec.Struct]) -> None:
        """Encode the events behind the others."""
        data, ended = self.data, self.ends.append
        for event in events:
            _encode_into(event, data, _AT_END)
            ended(len(data))

    def lengths(self) -> NDArray[np.uint32]:
        """The size of each encoding, little-endian."""
        ends = np.array(self.ends, dtype="<u4")
        ends[1:] -= ends[:-1].copy()
        return ends

"""The recording hash: SHA-256 over the canonical encodings of the events and the distances to their causes.

Events are hashed in blocks of BLOCK (by seq, independent of chunks). Each block's digest covers the previous digest, so
a resume needs only one digest and the encodings of the open block, however long the recording is.
"""

from __future__ import annotations

from hashlib import sha256

import msgspec

from scheduler_core.recording.encodings import Encodings

BLOCK = 64


class HashState(msgspec.Struct):
    """The state to resume from: the number of events, the digest of all full blocks, and the encodings and distances
    of the block that is not full yet."""

    count: int = 0
    chain: bytes = b"\0" * 32
    partial: list[bytes] = []
    distances: bytes = b""


class RecordingHash:
    """Hashes encodings, many at a time. MessagePack delimits itself, so a block is their plain concatenation."""

    def __init__(self, state: HashState | None = None) -> None:
        state = state or HashState()
        self._chain = state.chain
        self._partial = list(state.partial)
        self._distances = state.distances
        self.count = state.count

    def extend(self, encodings: Encodings, first: int = 0) -> None:
        """Hash the encodings from number ``first`` on."""
        ends, number = encodings.ends, first
        self.count += len(ends) - first
        with memoryview(encodings.data) as data:
            start = ends[first - 1] if first else 0
            while len(self._partial) + len(ends) - number >= BLOCK:
                opened, number = number, number + BLOCK - len(self._partial)
                block = sha256(self._chain)
                block.update(b"".join(self._partial))
                block.update(data[start : ends[number - 1]])
                block.update(self._distances + encodings.packed_distances(opened, number))
                start, self._chain = ends[number - 1], block.digest()
                self._partial.clear()
                self._distances = b""
            self._distances += encodings.packed_distances(number)
            for end in ends[number:]:
                self._partial.append(bytes(data[start:end]))
                start = end

    def hexdigest(self) -> str:
        """The hash of all events so far, 64 hexadecimal digits."""
        tail = b"".join([self._chain, *self._partial, self._distances, self.count.to_bytes(8, "little")])
        return sha256(tail).hexdigest()

    def state(self) -> HashState:
        """The state to resume from."""
        return HashState(self.count, self._chain, list(self._partial), self._distances)

"""The recording hash: SHA-256 over the canonical encodings of the events, in order of seq.

Events are taken in blocks of BLOCK (by seq, wherever chunks end). A block's digest covers the digest before it, so what
a resume needs is one digest and the encodings of the open block, however long the recording is.
"""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import sha256

import msgspec

BLOCK = 64


class HashState(msgspec.Struct):
    """Where the hash stands: events so far, digest of the closed blocks, encodings of the open one."""

    count: int = 0
    chain: bytes = b"\0" * 32
    partial: list[bytes] = []


class RecordingHash:
    """Feeds on encodings one at a time."""

    def __init__(self, state: HashState | None = None) -> None:
        state = state or HashState()
        self._chain = state.chain
        self._partial = list(state.partial)
        self.count = state.count

    def update(self, encoded: bytes) -> None:
        """Take the next event's canonical encoding (MessagePack delimits itself, so blocks are plain sums)."""
        self._partial.append(encoded)
        self.count += 1
        if len(self._partial) == BLOCK:
            self._chain = sha256(self._chain + b"".join(self._partial)).digest()
            self._partial.clear()

    def extend(self, encoded: Iterable[bytes]) -> None:
        """Take several, which costs less than one at a time."""
        before = len(self._partial)
        self._partial.extend(encoded)
        self.count += len(self._partial) - before
        whole = len(self._partial) - len(self._partial) % BLOCK
        for start in range(0, whole, BLOCK):
            self._chain = sha256(self._chain + b"".join(self._partial[start : start + BLOCK])).digest()
        del self._partial[:whole]

    def hexdigest(self) -> str:
        """The hash of all events so far, 64 hexadecimal digits."""
        tail = b"".join([self._chain, *self._partial, self.count.to_bytes(8, "little")])
        return sha256(tail).hexdigest()

    def state(self) -> HashState:
        """What a resume needs."""
        return HashState(self.count, self._chain, list(self._partial))

"""Records what a source answers."""

from __future__ import annotations

import os
from collections.abc import Sequence
from hashlib import blake2b
from itertools import islice
from pathlib import Path
from types import TracebackType

import msgspec
import numpy as np

from scheduler_core.extenders.calls import MAX_ANSWER_BYTES, ExtenderCall, ExtenderReply, ExtenderSource
from scheduler_core.extenders.tape import sections
from scheduler_core.extenders.tape.blocks import (
    NO_ANSWER,
    BlockIndex,
    TapeEnd,
    TapeHeader,
    cut,
    pack_answers,
    pack_texts,
)
from scheduler_core.extenders.tape.errors import TapeError
from scheduler_core.extenders.tape.limits import MAX_TAPE_BYTES
from scheduler_core.extenders.tape.requests import RequestTables

_BLOCK_BYTES = 1 << 24
_BLOCK_CALLS = 4096
_MOST_BYTES = MAX_TAPE_BYTES - 4096
"""The end of a tape is shorter than the rest."""
_encode = msgspec.msgpack.encode


class _Block:
    """What was recorded since the last block was written, and how long the tables were then."""

    def __init__(self, tables: RequestTables, n_faults: int) -> None:
        self._starts = [len(tables.nodes), len(tables.pods), len(tables.uids), len(tables.node_sets), n_faults]
        self.calls: list[tuple[int, ...]] = []
        self.victims: list[bytes] = []
        self.pieces: list[bytes] = []
        self.answers: list[list[int]] = []
        self.answer_sizes: list[int] = []
        self.size = 0

    def index(self, tables: RequestTables, faults: dict[str, int]) -> BlockIndex:
        nodes, pods, uids, node_sets, new_faults = self._starts
        return BlockIndex(
            nodes=pack_texts(name.encode() for name in islice(tables.nodes, nodes, None)),
            pods=pack_texts(part.encode() for pod in islice(tables.pods, pods, None) for part in pod),
            uids=pack_texts(uid.encode() for uid in islice(tables.uids, uids, None)),
            node_sets=pack_texts(islice(tables.node_sets, node_sets, None)),
            faults=pack_texts(fault.encode() for fault in islice(faults, new_faults, None)),
            calls=np.array(self.calls, dtype="<i8").tobytes(),
            victims=pack_texts(self.victims),
            answer_sizes=np.array(self.answer_sizes, dtype="<i8").tobytes(),
            n_pieces=len(self.pieces),
        )


class TapeWriter:
    """A source that hands calls on to another one, and writes what that answers to a file.

    The file has its name once it is complete, which is when the writer is left as a context manager; until then it
    lies beside it with ``.part`` after its name. It is complete too when an exception ends the run: what was answered
    until then can be replayed. Raises TapeError where the tape becomes too large, OSError where it cannot be written.
    """

    def __init__(self, path: Path, header: TapeHeader, source: ExtenderSource) -> None:
        if path.exists():
            raise TapeError(f"{path}: exists already; a tape is never written over another file")
        self.path = path
        self.n_calls = 0
        self._source = source
        self._part = path.with_name(path.name + ".part")
        self._tables = RequestTables()
        self._faults = {"": 0}
        self._pieces: dict[bytes, int] = {}
        self._answers: dict[bytes, int] = {}
        self._n_blocks = 0
        self._block = _Block(self._tables, 0)
        try:
            self._file = self._part.open("xb")
        except FileExistsError:
            raise TapeError(f"{self._part}: exists already: another recording writes it, or one was killed") from None
        head = sections.prologue() + sections.packed(sections.HEADER, _encode(header))
        self._size = self._file.write(head)

    def __enter__(self) -> TapeWriter:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        try:
            self._flush()
            self._file.write(sections.packed(sections.END, _encode(TapeEnd(self.n_calls, self._n_blocks))))
            self._file.flush()
            os.fsync(self._file.fileno())
        finally:
            self._file.close()
        self._part.rename(self.path)

    def ask(self, calls: Sequence[ExtenderCall]) -> list[ExtenderReply]:
        """As the source behind it answers."""
        replies = self._source.ask(calls)
        for call, reply in zip(calls, replies, strict=True):
            self._add(call, reply)
            if self._block.size > _BLOCK_BYTES or len(self._block.calls) >= _BLOCK_CALLS:
                self._flush()
        return replies

    def _add(self, call: ExtenderCall, reply: ExtenderReply) -> None:
        if len(reply.body) > MAX_ANSWER_BYTES:
            raise TapeError(f"{self.path}: an answer has {len(reply.body):,} bytes; {MAX_ANSWER_BYTES:,} may be")
        key = self._tables.add(call)
        fault = self._faults.setdefault(reply.fault, len(self._faults))
        answer = NO_ANSWER if reply.fault else self._answer(reply.body)
        self._block.calls.append((call.step, *key[:-1], reply.status, fault, answer))
        self._block.victims.append(key.victims)
        self._block.size += len(key.victims)
        self.n_calls += 1

    def _answer(self, body: bytes) -> int:
        """The number of an answer with this body."""
        digest = _digest(body)
        number = self._answers.get(digest)
        if number is not None:
            return number
        block = self._block
        numbers = []
        for piece in cut(body):
            key = _digest(piece)
            of_piece = self._pieces.get(key)
            if of_piece is None:
                of_piece = self._pieces[key] = len(self._pieces)
                block.pieces.append(piece)
                block.size += len(piece)
            numbers.append(of_piece)
        block.answers.append(numbers)
        block.answer_sizes.append(len(body))
        block.size += 4 * len(numbers)
        return self._answers.setdefault(digest, len(self._answers))

    def _flush(self) -> None:
        """Write the block and begin another one. The calls of a block that is too much are forgotten."""
        block, self._block = self._block, _Block(self._tables, len(self._faults))
        if not block.calls:
            return
        index = sections.packed(sections.INDEX, _encode(block.index(self._tables, self._faults)))
        answers = sections.packed(sections.ANSWERS, _encode(pack_answers(block.pieces, block.answers)))
        if self._size + len(index) + len(answers) > _MOST_BYTES:
            self.n_calls -= len(block.calls)
            raise TapeError(
                f"{self.path}: the tape is full ({_MOST_BYTES:,} bytes); its first {self.n_calls:,} calls are kept"
            )
        self._size += self._file.write(index) + self._file.write(answers)
        self._n_blocks += 1


def _digest(data: bytes) -> bytes:
    return blake2b(data, digest_size=16).digest()

"""The answers of an opened tape, decompressed block by block when asked for."""

from __future__ import annotations

from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Iterator
from typing import BinaryIO

import msgspec
import numpy as np
from numpy.typing import NDArray

from scheduler_core.extenders.calls import MAX_ANSWER_BYTES
from scheduler_core.extenders.tape import sections
from scheduler_core.extenders.tape.blocks import BlockAnswers, LoadedAnswers, decode
from scheduler_core.extenders.tape.errors import TapeError
from scheduler_core.extenders.tape.limits import USUAL_LIMITS, TapeLimits

_CACHED_BYTES = 1 << 28


class _Place(msgspec.Struct, frozen=True):
    """The answers of a block: their section without its bytes, and how many pieces and answers it has."""

    section: sections.Section
    n_pieces: int
    n_answers: int


class AnswerStore:
    """Bodies by number. At most a quarter of a gigabyte of blocks is kept, those used last. Raises TapeError."""

    def __init__(self, file: BinaryIO, name: str, limits: TapeLimits = USUAL_LIMITS) -> None:
        self._file = file
        self._name = name
        self._limits = limits
        self._sizes: list[int] = []
        self._places: list[_Place] = []
        self._first_answers: list[int] = []
        self._first_pieces: list[int] = []
        self._n_pieces = 0
        self._cache: OrderedDict[int, LoadedAnswers] = OrderedDict()

    @property
    def n_answers(self) -> int:
        """How many bodies there are."""
        return len(self._sizes)

    @property
    def n_blocks(self) -> int:
        """How many blocks they lie in."""
        return len(self._places)

    def add_block(self, section: sections.Section, n_pieces: int, sizes: NDArray[np.int64]) -> None:
        """Take in the next block: its section of answers, how many pieces it adds, and the bytes of each body."""
        if n_pieces < 0 or (len(sizes) and not 0 <= sizes.min() <= sizes.max() <= MAX_ANSWER_BYTES):
            raise TapeError(f"{self._at(section)}: an answer has a size that none may have")
        bare = sections.Section(section.kind, section.position, section.size, b"")
        self._places.append(_Place(bare, n_pieces, len(sizes)))
        self._first_pieces.append(self._n_pieces)
        self._first_answers.append(len(self._sizes))
        self._n_pieces += n_pieces
        if self._n_pieces > self._limits.max_pieces:
            raise TapeError(f"{self._at(section)}: answers are cut into more than {self._limits.max_pieces:,} pieces")
        self._sizes += sizes.tolist()

    def check(self) -> None:
        """Decompress all blocks, and check that every answer consists of pieces so far and has its size."""
        lengths = np.zeros(self._n_pieces, dtype=np.int32)
        sizes = np.array(self._sizes, dtype=np.int64)
        n_parts = 0
        for block, place in enumerate(self._places):
            loaded, where = self._read(block), self._at(place.section)
            n_parts += len(loaded.numbers)
            if n_parts > self._limits.max_parts:
                raise TapeError(f"{where}: answers consist of more than {self._limits.max_parts:,} parts")
            first, end = self._first_pieces[block], self._first_pieces[block] + place.n_pieces
            lengths[first:end] = loaded.lengths
            if len(loaded.numbers) and not 0 <= loaded.numbers.min() <= loaded.numbers.max() < end:
                raise TapeError(f"{where}: an answer names a piece that is not on the tape")
            of_block = self._first_answers[block]
            if (loaded.sizes(lengths) != sizes[of_block : of_block + place.n_answers]).any():
                raise TapeError(f"{where}: an answer has another size than it should")

    def body(self, answer: int) -> bytes:
        """The body of this number."""
        block = bisect_right(self._first_answers, answer) - 1
        section, size = self._places[block].section, self._sizes[answer]
        of = self._loaded(block).piece_numbers(answer - self._first_answers[block])
        if len(of) and not 0 <= of.min() <= of.max() < self._n_pieces:
            raise TapeError(f"{self._at(section)}: an answer names a piece that is not on the tape")
        pieces = list(self._pieces(of)) if len(of) <= size else []
        if sum(map(len, pieces)) != size:
            raise TapeError(f"{self._at(section)}: an answer has another size than it should")
        return b"".join(pieces)

    def _pieces(self, of: NDArray[np.int32]) -> Iterator[bytes]:
        for number in of.tolist():
            block = bisect_right(self._first_pieces, number) - 1
            yield self._loaded(block).piece(number - self._first_pieces[block])

    def _loaded(self, block: int) -> LoadedAnswers:
        loaded = self._cache.get(block)
        if loaded is not None:
            self._cache.move_to_end(block)
            return loaded
        loaded = self._cache[block] = self._read(block)
        while len(self._cache) > 1 and self._cached_bytes() > _CACHED_BYTES:
            self._cache.popitem(last=False)
        return loaded

    def _read(self, block: int) -> LoadedAnswers:
        place = self._places[block]
        try:
            section = sections.read_again(self._file, place.section, self._name)
        except OSError as problem:
            raise TapeError(f"{self._name}: cannot be read: {problem.strerror or problem}") from problem
        where = self._at(section)
        block_answers = decode(sections.content(section, self._name), BlockAnswers, where)
        return LoadedAnswers(block_answers, place.n_pieces, place.n_answers, where)

    def _cached_bytes(self) -> int:
        return sum(self._places[block].section.size for block in self._cache)

    def _at(self, section: sections.Section) -> str:
        return f"{self._name}: byte {section.position}"

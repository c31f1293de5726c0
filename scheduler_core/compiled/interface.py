"""What the kernel offers: the one table of its functions, for the type checker and for the checks of their arguments.

What an array must be besides of its dtype is written after it, as ``Items``; ``arguments.py`` makes the C of it that
takes the arguments. Functions that look into tuples or lists check what is in there themselves.
"""

from __future__ import annotations

from typing import Annotated, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

Rows = NDArray[np.int64]
Int16 = NDArray[np.int16]
Int32 = NDArray[np.int32]
Bytes = NDArray[np.uint8]
Mask = NDArray[np.bool_]


class Shape(NamedTuple):
    """See ``Items``."""

    dimensions: tuple[str, ...]
    writable: bool
    strided: bool
    below: str


class Items(Shape):
    """An array's shape, by names of dimensions: "lines capacity" has two axes.

    Axes of one name have one length; "n+" is n or more, and ".n_rows" the ``n_rows`` of the table that the method
    belongs to. ``below``: the items are numbers from 0 to less than that dimension. Arrays are contiguous unless
    ``strided``, and of one dimension then.
    """

    def __new__(cls, dimensions: str, *, writable: bool = False, strided: bool = False, below: str = "") -> Items:
        """The dimensions are separated by blanks."""
        return super().__new__(cls, tuple(dimensions.split()), writable, strided, below)


class Below(NamedTuple):
    """A number from 0 to less than a dimension."""

    dimension: str


LEAST_ALLOCATED, MOST_ALLOCATED, BALANCED, BALANCED_BY_CHANGE = range(4)
"""Kinds of score_resources."""
IDENTITY, DEFAULT, DEFAULT_REVERSED, SPREAD, MIN_MAX = range(5)
"""Kinds of normalisers of a ScoreTable."""

MOST_TOPOLOGIES = 16
"""At most this many pairs may be given to sum_terms and first_codes, and pieces to union_of."""


class VerdictTable(Protocol):
    """See verdict_table.c."""

    def judge(
        self,
        i: Annotated[int, Below(".n_plugins")],
        rows: Annotated[Rows, Items("n", strided=True, below=".n_rows")],
        codes: Annotated[Bytes | None, Items("n", strided=True)],
        reasons: Annotated[Int32 | None, Items("n", strided=True)],
        differing: Annotated[Rows, Items("n+", writable=True)],
        /,
    ) -> int: ...
    def settle(
        self,
        blocked: Annotated[Mask | None, Items(".n_rows+")],
        changed: Annotated[Rows, Items(".n_touched+", writable=True)],
        /,
    ) -> tuple[int, bool, list[tuple[int, int, int]]]: ...


class ScoreTable(Protocol):
    """See score_table.c. Methods raise OverflowError where a feasible row's score lies outside of 0 to 100."""

    def take_feasible(self, feasible: Annotated[Mask, Items(".n_rows+")], /) -> None: ...
    def take(
        self,
        j: Annotated[int, Below(".n_lines")],
        rows: Annotated[Rows, Items("n", strided=True, below=".n_rows")],
        scores: Annotated[Rows, Items("n", strided=True)],
        /,
    ) -> tuple[int, int]: ...
    def settle(self, j: Annotated[int, Below(".n_lines")], /) -> bool: ...
    def params(self, j: Annotated[int, Below(".n_lines")], /) -> tuple[int, int]: ...
    def moved(self, rows: Annotated[Rows, Items(".n_moved", writable=True)], /) -> None: ...
    def sums(self) -> list[tuple[int, int, int, int]]: ...
    def compare(
        self, row: Annotated[int, Below(".n_rows")], second: int, /
    ) -> list[tuple[int, int, int, int, bool]]: ...


Matrix = tuple[NDArray[np.uint8], NDArray[np.int32], Int16, Rows]
"""Codes and reasons by plugin and row, the decisive line, raw scores by plugin and row."""


class GroupWriter(Protocol):
    """See group_writer.c, and recording/frames/group_writer.py for the one by numpy."""

    def begin(self) -> None: ...
    def write(
        self,
        groups: list[tuple[Rows, list[tuple[int, int]]]],
        whole: dict[tuple[int, int], None],
        matrix: Matrix,
        /,
    ) -> tuple[tuple[tuple[int, int, tuple[tuple[int, int, int], ...]], ...], bytes] | None: ...


class Kernel(Protocol):
    """The module. An array of another dtype or rank raises TypeError, one of another length ValueError, one that is not
    writable or not contiguous BufferError or ValueError, a row or line that does not exist IndexError."""

    SOURCES: str

    def VerdictTable(
        self,
        codes: Annotated[Bytes, Items("plugins n", writable=True)],
        reasons: Annotated[Int32, Items("plugins n", writable=True)],
        decisive: Annotated[Int16, Items("n", writable=True)],
        feasible: Annotated[Mask, Items("n", writable=True)],
        keys: Annotated[Rows, Items("n", writable=True)],
        /,
    ) -> VerdictTable: ...
    def ScoreTable(
        self,
        raw: Annotated[Rows, Items("lines n", writable=True)],
        norm: Annotated[Int16, Items("lines n", writable=True)],
        totals: Annotated[Int16, Items("n", writable=True)],
        kinds: tuple[int, ...],
        weights: tuple[int, ...],
        penalty: int,
        /,
    ) -> ScoreTable: ...
    def GroupWriter(
        self,
        n_rows: int,
        n_filters: int,
        row_size: int,
        reason_size: int,
        decisive_size: int,
        raw_sizes: tuple[int, ...],
        /,
    ) -> GroupWriter: ...
    def count_pod(
        self,
        amounts: Annotated[Rows, Items("lines capacity", writable=True)],
        row: Annotated[int, Below("capacity")],
        which: Annotated[Rows, Items("m", below="lines")],
        values: Annotated[Rows, Items("m")],
        sign: int,
        /,
    ) -> bool: ...
    def union_of(
        self, pieces: tuple[Rows, ...], out: Annotated[Rows, Items("room", writable=True)], /
    ) -> tuple[int, int]: ...
    def short_of(  # noqa: PLR0913 - arrays belong to the caller
        self,
        amounts: Annotated[Rows, Items("lines capacity")],
        rows: Annotated[Rows, Items("n", strided=True, below="capacity")],
        available: Annotated[Rows, Items("needs", below="lines")],
        pod_requests: Annotated[Rows, Items("needs")],
        by_pattern: Annotated[Int32, Items("patterns")],
        patterns_out: Annotated[Rows, Items("n", writable=True)],
        codes: Annotated[Bytes, Items("n", writable=True)],
        reasons: Annotated[Int32, Items("n", writable=True)],
        /,
    ) -> int: ...
    def score_resources(  # noqa: PLR0913 - arrays belong to the caller
        self,
        kind: int,
        amounts: Annotated[Rows, Items("lines capacity")],
        rows: Annotated[Rows, Items("n", strided=True, below="capacity")],
        available: Annotated[Rows, Items("resources", below="lines")],
        used: Annotated[Rows, Items("resources", below="lines")],
        requests: Annotated[Rows, Items("resources")],
        weights: Annotated[Rows, Items("resources")],
        out: Annotated[Rows, Items("n", writable=True)],
        /,
    ) -> None: ...
    def best(self, totals: Annotated[Int16, Items("n")], /) -> tuple[int, int, int, int, int]: ...
    def tied(
        self, totals: Annotated[Int16, Items("n")], total: int, count: int, drawn: int, /
    ) -> tuple[int, int, bytes]: ...
    def follow(
        self,
        rows: Annotated[Rows, Items("n", strided=True, below="capacity")],
        classes: Annotated[Rows, Items("n", strided=True, below="known")],
        signs: Annotated[Rows, Items("n", strided=True)],
        weights: Annotated[Rows, Items("known", strided=True)],
        counted_at: Annotated[Rows, Items("capacity", strided=True)],
        /,
    ) -> list[tuple[int, int]]: ...
    def tally(
        self,
        rows: Annotated[Rows, Items("n", below="capacity")],
        classes: Annotated[Rows, Items("n", below="known")],
        signs: Annotated[Rows, Items("n")],
        weights: Annotated[Rows, Items("known")],
        counts: Annotated[Rows, Items("capacity", writable=True)],
        /,
    ) -> int: ...
    def sum_terms(
        self,
        terms: tuple[tuple[NDArray[np.float64], NDArray[np.intp]], ...],
        rows: Annotated[Rows, Items("n", strided=True)],
        row_mask: Annotated[Mask | None, Items("mask_rows")],
        ignored: int,
        out: Annotated[Rows, Items("n", writable=True)],
        /,
    ) -> None: ...
    def first_codes(
        self,
        codes: tuple[tuple[Bytes, NDArray[np.intp]], ...],
        rows: Annotated[Rows, Items("n", strided=True)],
        out: Annotated[Bytes, Items("n", writable=True)],
        /,
    ) -> bool: ...

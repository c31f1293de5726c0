"""What the kernel offers, for the type checker: the signatures of the functions in the C files of this room."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Rows = NDArray[np.int64]
Int16 = NDArray[np.int16]
Mask = NDArray[np.bool_]

LEAST_ALLOCATED, MOST_ALLOCATED, BALANCED = range(3)
"""Kinds of score_resources."""
IDENTITY, DEFAULT, DEFAULT_REVERSED, SPREAD, MIN_MAX = range(5)
"""Kinds of normalisers of a ScoreTable."""

MOST_TOPOLOGIES = 16
"""So many pairs may be handed to sum_terms and first_codes, and pieces to union_of."""


class VerdictTable(Protocol):
    """See verdict_table.c."""

    def judge(
        self,
        i: int,
        rows: Rows,
        codes: NDArray[np.uint8] | None,
        reasons: NDArray[np.int32] | None,
        differing: Rows,
        /,
    ) -> int: ...
    def settle(self, blocked: Mask | None, changed: Rows, /) -> tuple[int, bool, list[tuple[int, int, int]]]: ...


class ScoreTable(Protocol):
    """See score_table.c. Methods raise OverflowError where a feasible row's score lies outside of 0 to 100."""

    def take_feasible(self, feasible: Mask, /) -> None: ...
    def take(self, j: int, rows: Rows, scores: Rows, /) -> tuple[int, int]: ...
    def settle(self, j: int, /) -> bool: ...
    def params(self, j: int, /) -> tuple[int, int]: ...
    def moved(self, rows: Rows, /) -> None: ...
    def sums(self) -> list[tuple[int, int, int, int]]: ...
    def compare(self, row: int, second: int, /) -> list[tuple[int, int, int, int, bool]]: ...


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
    """The module. Arrays must be of the dtypes named and contiguous; anything else raises TypeError or ValueError, a
    row or line that does not exist IndexError."""

    SOURCES: str

    def VerdictTable(
        self,
        codes: NDArray[np.uint8],
        reasons: NDArray[np.int32],
        decisive: Int16,
        feasible: Mask,
        keys: Rows,
        /,
    ) -> VerdictTable: ...
    def ScoreTable(
        self,
        raw: Rows,
        norm: Int16,
        totals: Int16,
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
    def count_pod(self, amounts: Rows, row: int, lines: Rows, values: Rows, sign: int, /) -> bool: ...
    def union_of(self, pieces: tuple[Rows, ...], out: Rows, /) -> tuple[int, int]: ...
    def short_of(  # noqa: PLR0913 - arrays belong to the caller
        self,
        amounts: Rows,
        rows: Rows,
        lines: Rows,
        wanted: Rows,
        by_pattern: NDArray[np.int32],
        patterns: Rows,
        codes: NDArray[np.uint8],
        reasons: NDArray[np.int32],
        /,
    ) -> int: ...
    def score_resources(  # noqa: PLR0913 - arrays belong to the caller
        self,
        kind: int,
        amounts: Rows,
        rows: Rows,
        allocatable: Rows,
        used: Rows,
        requests: Rows,
        weights: Rows,
        out: Rows,
        /,
    ) -> None: ...
    def best(self, totals: Int16, /) -> tuple[int, int, int, int, int]: ...
    def tied(self, totals: Int16, wanted: int, n: int, drawn: int, /) -> tuple[int, int, bytes]: ...
    def follow(
        self, rows: Rows, classes: Rows, signs: Rows, weights: Rows, counted_at: Rows, /
    ) -> list[tuple[int, int]]: ...
    def tally(self, rows: Rows, classes: Rows, signs: Rows, weights: Rows, counts: Rows, /) -> int: ...
    def sum_terms(
        self,
        terms: tuple[tuple[NDArray[np.float64], NDArray[np.intp]], ...],
        rows: Rows,
        kept: Mask | None,
        ignored: int,
        out: Rows,
        /,
    ) -> None: ...
    def first_codes(
        self,
        codes: tuple[tuple[NDArray[np.uint8], NDArray[np.intp]], ...],
        rows: Rows,
        out: NDArray[np.uint8],
        /,
    ) -> bool: ...

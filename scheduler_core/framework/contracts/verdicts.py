"""What filters and scores answer about many rows at once, and the table that interns reasons.

``rows`` is an int64 array of node-table rows; codes, reasons and scores are arrays of the same length.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

Rows = NDArray[np.int64]
Scores = NDArray[np.int64]

MAX_NODE_SCORE = 100


def broadcast(score: int, n: int) -> Scores:
    """One raw score for ``n`` rows: int64[n] with a stride of 0, so it takes the room of one."""
    return np.ndarray((n,), dtype=np.int64, buffer=np.array([score], dtype=np.int64), strides=(0,))


class Verdicts(msgspec.Struct):
    """A filter's answer about n rows: ``codes`` uint8[n] and ``reasons`` int32[n], ids of ``handle.run.reasons``."""

    codes: NDArray[np.uint8]
    reasons: NDArray[np.int32]

    @classmethod
    def broadcast(cls, code: int, reason: int, n: int) -> Verdicts:
        """One verdict on ``n`` rows: arrays with strides of 0, so they take the room of one."""
        one = np.array([reason], dtype=np.int32)
        return cls(
            np.ndarray((n,), dtype=np.uint8, buffer=bytes((code,)), strides=(0,)),
            np.ndarray((n,), dtype=np.int32, buffer=one, strides=(0,)),
        )

    def part(self, start: int, end: int) -> Verdicts:
        """Those of the rows from ``start`` to before ``end``."""
        return Verdicts(self.codes[start:end], self.reasons[start:end])


class WrongShape(ValueError):
    """An answer about rows that has not one value for each; how many there are differs between engines, so it is not
    said."""


def check_verdicts(verdicts: Verdicts | None, n: int) -> None:
    """Raise WrongShape unless there are a code and a reason for each of ``n`` rows."""
    if verdicts is not None and not verdicts.codes.shape == verdicts.reasons.shape == (n,):
        raise WrongShape("codes and reasons must be arrays with one value for each row")


def check_scores(scores: Scores, n: int) -> None:
    """Raise WrongShape unless there is a score for each of ``n`` rows."""
    if scores.shape != (n,):
        raise WrongShape("scores must be an array with one value for each row")


class ReasonTable:
    """Tuples of reason strings interned to ids, one table per run; id 0 is the empty tuple."""

    def __init__(self, entries: Iterable[tuple[str, ...]] = ()) -> None:
        self.entries: list[tuple[str, ...]] = [()]
        self._ids: dict[tuple[str, ...], int] = {(): 0}
        self._arrays: dict[tuple[tuple[str, ...], ...], NDArray[np.int32]] = {}
        for entry in entries:
            self.intern(entry)

    def intern(self, reasons: tuple[str, ...]) -> int:
        """The id of the tuple, new or known."""
        number = self._ids.get(reasons)
        if number is None:
            number = self._ids[reasons] = len(self.entries)
            self.entries.append(reasons)
        return number

    def intern_all(self, several: tuple[tuple[str, ...], ...]) -> NDArray[np.int32]:
        """The ids of several tuples, int32; the same array for the same ones."""
        numbers = self._arrays.get(several)
        if numbers is None:
            numbers = self._arrays[several] = np.array([self.intern(reasons) for reasons in several], dtype=np.int32)
        return numbers


class Normalization(msgspec.Struct, frozen=True):
    """How raw scores become 0..100: one of the closed list in contracts/normalizers.py with its parameters.

    ``kind`` CUSTOM stores the row: ``values`` int64[len(rows)].
    """

    kind: str = "identity"
    params: tuple[int, ...] = ()
    values: Any = None


IDENTITY = Normalization()

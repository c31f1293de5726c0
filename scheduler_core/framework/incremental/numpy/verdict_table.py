"""The verdict table by numpy: row by row for few rows, by columns for more, the whole table for many."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np
from numpy.typing import NDArray

from scheduler_core.framework.contracts.change_set import FEW_ROWS
from scheduler_core.framework.contracts.filter_outcome import PASSED
from scheduler_core.framework.contracts.verdicts import Rows, Verdicts
from scheduler_core.framework.incremental.verdict_table import Mask, VerdictTable

_MANY_ROWS = 16
"""From this many rows on, a pass over whole lines of bytes is cheaper than gathering and spreading these rows."""
_COUNT_BY_TABLE_UP_TO = 20_000


class NumpyVerdicts(VerdictTable):
    """The table where there is no kernel."""

    few_rows = FEW_ROWS

    def __init__(self, n_plugins: int, n_rows: int, order: Rows) -> None:
        super().__init__(n_plugins, n_rows, order)
        self._all_keys: NDArray[np.int64] = np.zeros(n_rows, dtype=np.int64)
        self._keys_known = True
        self._touched: list[Rows] = []
        self._blocked: Collection[int] = ()

    @property
    def keys(self) -> NDArray[np.int64]:
        """See VerdictTable."""
        if not self._keys_known:  # settled by _settle_all
            self._all_keys[:] = self.refusal_keys.keys.take(self.decisive, mode="wrap")
            self._keys_known = True
        return self._all_keys

    def block(self, blocked: Collection[int], changed: Sequence[int]) -> bool:
        """See VerdictTable."""
        self._blocked = blocked
        return super().block(blocked, changed)

    # --- what one plugin says ----------------------------------------------------------------------------------------
    def judge(self, i: int, rows: Rows, verdicts: Verdicts | None) -> Rows:
        """See VerdictTable."""
        differing = self._judge_all(i, verdicts) if rows is self.order else self._judge_rows(i, rows, verdicts)
        if len(differing):
            self._refusing[i] = True
            self._touched.append(differing)
        return differing

    def _judge_all(self, i: int, verdicts: Verdicts | None) -> Rows:
        if verdicts is None and not self._refusing[i]:
            return self.order[:0]
        codes, reasons = np.zeros_like(self.codes[i]), np.zeros_like(self.reasons[i])
        if verdicts is not None:
            codes[self.order], reasons[self.order] = verdicts.codes, verdicts.reasons
            self.refusal_keys.note_all(i, verdicts)
        rows = np.flatnonzero((codes != self.codes[i]) | (reasons != self.reasons[i]))
        if len(rows):
            self.codes[i], self.reasons[i] = codes, reasons
        return rows

    def _judge_rows(self, i: int, rows: Rows, verdicts: Verdicts | None) -> Rows:
        codes, reasons = self.codes[i], self.reasons[i]
        if verdicts is None or verdicts.are_constant:
            if verdicts is None:
                if not self._refusing[i]:
                    return rows[:0]
                code = reason = 0
            else:
                code, reason = int(verdicts.codes[0]), int(verdicts.reasons[0])
                self.refusal_keys.note(i, code, reason)
            codes[rows], reasons[rows] = code, reason
            return rows
        if len(rows) == 1:
            if code := int(verdicts.codes[0]):
                self.refusal_keys.note(i, code, int(verdicts.reasons[0]))
        else:
            self.refusal_keys.note_all(i, verdicts)
        differing = codes.take(rows) != verdicts.codes
        if not self.refusal_keys.has_one(i):  # else the reasons follow from the code
            differing |= reasons.take(rows) != verdicts.reasons
        n_differing = np.count_nonzero(differing)
        if not n_differing:
            return rows[:0]
        codes[rows], reasons[rows] = verdicts.codes, verdicts.reasons
        return rows if n_differing == len(rows) else rows[differing]

    # --- the first refusal of each row -------------------------------------------------------------------------------
    def settle(self) -> tuple[Sequence[Rows], bool]:
        """See VerdictTable."""
        if not self._touched:
            return (), False
        rows = self._touched[0]
        if len(self._touched) > 1:
            touched: Mask = np.zeros(len(self.decisive), dtype=np.bool_)
            for some in self._touched:
                touched[some] = True
            rows = touched.nonzero()[0]
        self._touched.clear()
        if len(rows) <= FEW_ROWS:
            flipped = self._settle_few(rows)
        elif len(rows) >= _MANY_ROWS and self.in_order and not self._blocked and self.refusal_keys.are_single:
            flipped = self._settle_all()
        else:
            flipped = self._settle_many(rows)
        return (rows,), flipped

    def _settle_few(self, rows: Rows) -> bool:
        """Row by row, which is cheaper while there are few; whether the feasible rows are others now."""
        flipped, counts = False, self.counts
        keys = self.keys if self._keys_known or not self.refusal_keys.are_single else None
        for row in rows.tolist():
            key, first = 0, PASSED
            for i, refusing in enumerate(self._refusing):
                if refusing and (code := int(self.codes[i, row])):
                    key, first = self.refusal_keys.key(i, code, int(self.reasons[i, row])), i
                    break
            if before := int(self.refusal_keys.keys[self.decisive[row]] if keys is None else keys[row]):
                counts[before] -= 1
            if key:
                counts[key] = counts.get(key, 0) + 1
            fits = not key and row not in self._blocked
            flipped |= bool(self.feasible[row]) is not fits
            self.decisive[row], self.feasible[row] = first, fits
            if keys is not None:
                keys[row] = key
        return flipped

    def _settle_all(self) -> bool:
        """The same for all rows of a table without gaps, where each plugin refuses with one key."""
        refusing = self.refusal_keys.refusing
        last = refusing[-1]
        first: NDArray[np.int16] = (self.codes[last] != 0).astype(np.int16)
        first *= last - PASSED
        first += PASSED
        for i in reversed(refusing[:-1]):
            first += (i - first) * (self.codes[i] != 0).astype(np.int16)
        for i in refusing:
            self.counts[int(self.refusal_keys.keys[i])] = int(np.count_nonzero(first == i))
        self.decisive[:] = first
        self._keys_known = False
        fits = first == PASSED
        if not np.count_nonzero(fits != self.feasible):
            return False
        self.feasible[:] = fits
        return True

    def _settle_many(self, rows: Rows) -> bool:
        """The same by columns."""
        first, keys = self._first_refusals(rows)
        self._count(self.keys.take(rows), -1)
        self._count(keys, 1)
        self.keys[rows] = keys
        self.decisive[rows] = first
        fits = keys == 0
        if self._blocked:
            fits[[k for k, row in enumerate(rows.tolist()) if row in self._blocked]] = False
        if not np.count_nonzero(fits != self.feasible.take(rows)):
            return False
        self.feasible[rows] = fits
        return True

    def _first_refusals(self, rows: Rows) -> tuple[NDArray[np.int16], NDArray[np.int64]]:
        """``decisive`` and ``keys`` of the rows, from codes and reasons."""
        first, keys = np.full(len(rows), PASSED, dtype=np.int16), np.zeros(len(rows), dtype=np.int64)
        for i in range(len(self._refusing) - 1, -1, -1):
            if self._refusing[i]:
                codes = self.codes[i].take(rows)
                refused = codes != 0
                key = self.refusal_keys.keys_of(i, codes, self.reasons[i].take(rows))
                np.copyto(keys, key, where=refused)
                np.copyto(first, i, where=refused)
        return first, keys

    def _count(self, keys: NDArray[np.int64], sign: int) -> None:
        """This many rows more (1) or less (-1) are refused with these keys."""
        known, first, n = self.counts, int(keys[0]), len(keys)
        if n == 1 or np.count_nonzero(keys != first) == 0:
            counted = [(first, n)]
        elif int(keys.max()) < _COUNT_BY_TABLE_UP_TO:
            table = np.bincount(keys)
            found = table.nonzero()[0]
            counted = list(zip(found.tolist(), table.take(found).tolist(), strict=True))
        else:
            some, counts = np.unique(keys, return_counts=True)
            counted = list(zip(some.tolist(), counts.tolist(), strict=True))
        for key, count in counted:
            if key:
                known[key] = known.get(key, 0) + sign * count

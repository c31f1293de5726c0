"""The verdict table by the compiled kernel: one pass over the rows at hand (verdict_table.c)."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np
from numpy.typing import NDArray

from scheduler_core.compiled import kernel
from scheduler_core.framework.contracts.change_set import should_reuse_rows
from scheduler_core.framework.contracts.verdicts import Rows, Verdicts
from scheduler_core.framework.incremental.verdict_table import Mask, VerdictTable


class CompiledVerdicts(VerdictTable):
    """The table where there is a kernel."""

    def __init__(self, n_plugins: int, n_rows: int, order: Rows) -> None:
        super().__init__(n_plugins, n_rows, order)
        self._keys: NDArray[np.int64] = np.zeros(n_rows, dtype=np.int64)
        compiled = kernel()
        assert compiled is not None
        self._table = compiled.VerdictTable(self.codes, self.reasons, self.decisive, self.feasible, self._keys)
        self._blocked: Mask | None = None
        self._judged: list[Rows] = []

    @property
    def keys(self) -> NDArray[np.int64]:
        """See VerdictTable."""
        return self._keys

    def judge(self, i: int, rows: Rows, verdicts: Verdicts | None) -> Rows:
        """See VerdictTable."""
        if verdicts is None and not self._refusing[i]:
            return rows[:0]
        room: Rows = np.empty(len(rows), dtype=np.int64)
        if verdicts is None:
            n = self._table.judge(i, rows, None, None, room)
        else:
            self._refusing[i] = True
            codes, reasons = np.asarray(verdicts.codes, dtype=np.uint8), np.asarray(verdicts.reasons, dtype=np.int32)
            n = self._table.judge(i, rows, codes, reasons, room)
        differing = rows if n == len(rows) or should_reuse_rows(rows, n) else room[:n].copy()
        if n:
            self._judged.append(differing)
        return differing

    def settle(self) -> tuple[Sequence[Rows], bool]:
        """See VerdictTable."""
        judged, self._judged = self._judged, []
        n_judged = sum([len(rows) for rows in judged])
        room: Rows = np.empty(n_judged, dtype=np.int64)
        n, flipped, moves = self._table.settle(self._blocked, room)
        counts = self.counts
        for before, after, number in moves:
            if before:
                counts[before] -= number
            if after:
                counts[after] = counts.get(after, 0) + number
        if not n:
            return (), flipped
        # the same arrays again cost a recording no row numbers
        return (judged if 2 * n >= n_judged else (room[:n].copy(),)), flipped

    def block(self, blocked: Collection[int], changed: Sequence[int]) -> bool:
        """See VerdictTable."""
        if self._blocked is None:
            self._blocked = np.zeros(len(self.decisive), dtype=np.bool_)
        for row in changed:
            self._blocked[row] = row in blocked
        return super().block(blocked, changed)

"""All filters' verdicts on all rows for one pod class, and the first refusal of each row.

Idea. Between two cycles of a class few verdicts change, so the table takes changed verdicts only, plugin by plugin
(``judge``), and then finds the first refusal again of the rows that were judged (``settle``).

Invariant, after ``settle``, for p plugins in order and each row r that has a node:

    decisive[r] = min {i < p : codes[i, r] != 0}, PASSED where there is none
    keys[r]     = refusal_key(i, codes[i, r], reasons[i, r], p) with i = decisive[r], 0 where that is PASSED
    feasible[r] = decisive[r] = PASSED and r is not blocked
    counts[k]   = number of rows r with keys[r] = k, for each k above 0

Cost. O(rows judged) for ``judge``, O(p * rows judged) for ``settle``; neither depends on the number of nodes. Both
are one pass of the kernel over the rows (verdict_table.c).

Example. Two plugins, three rows, all pass. A pod came to row 2, so plugin 1 is asked about it and refuses:
    judge(1, [2], codes [2], reasons [4]) -> [2]       codes[1] = [0, 0, 2]
    settle() -> ([2],), True                           decisive = [-1, -1, 1], feasible = [1, 1, 0]
                                                       counts = {70: 1}: refusal_key(1, 2, 4, 2) = (4 << 3 | 2) * 2 + 2
    A nominated pod's pass refuses row 0, too:         block({0: status}, [0]) -> True, feasible = [0, 1, 0]
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np
from numpy.typing import NDArray

from scheduler_core.compiled import needed_kernel
from scheduler_core.framework.contracts.change_set import should_reuse_rows
from scheduler_core.framework.contracts.filter_outcome import NOT_VISITED, PASSED
from scheduler_core.framework.contracts.verdicts import Rows, Verdicts

Mask = NDArray[np.bool_]


class VerdictTable:
    """``codes`` uint8[p, n], ``reasons`` int32[p, n], ``decisive`` int16[n] (NOT_VISITED where no node is),
    ``feasible`` bool[n], ``keys`` int64[n] (0 where no filter refuses); they change in place. ``counts``: rows by the
    key of their first refusal.

    A key is a number above 0 for (plugin, code, reasons): see ``refusal_key``.
    """

    def __init__(self, n_plugins: int, n_rows: int, order: Rows) -> None:
        self.in_order = len(order) == n_rows and bool((order == np.arange(n_rows)).all())
        self.codes: NDArray[np.uint8] = np.zeros((n_plugins, n_rows), dtype=np.uint8)
        self.reasons: NDArray[np.int32] = np.zeros((n_plugins, n_rows), dtype=np.int32)
        self.decisive: NDArray[np.int16] = np.full(n_rows, NOT_VISITED, dtype=np.int16)
        self.decisive[order] = PASSED
        self.feasible: Mask = self.decisive == PASSED
        self.keys: NDArray[np.int64] = np.zeros(n_rows, dtype=np.int64)
        self.counts: dict[int, int] = {}
        compiled = needed_kernel()
        self._table = compiled.VerdictTable(self.codes, self.reasons, self.decisive, self.feasible, self.keys)
        self._refusing = [False] * n_plugins
        self._blocked: Mask | None = None
        self._judged: list[Rows] = []

    def judge(self, i: int, rows: Rows, verdicts: Verdicts | None) -> Rows:
        """Take plugin ``i``'s verdicts on the rows (None: all pass). Returns those whose verdict changed, or ``rows``
        itself where most did: an array that a recording has seen before costs it nothing."""
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
        """Restore the invariant for the rows judged since the last call. Returns arrays of rows whose first refusal may
        have changed, and whether ``feasible`` did."""
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
        """Take the set of rows that are not feasible whatever the filters say. ``changed`` are the rows that joined or
        left it. Returns whether ``feasible`` changed."""
        if self._blocked is None:
            self._blocked = np.zeros(len(self.decisive), dtype=np.bool_)
        flipped = False
        for row in changed:
            self._blocked[row] = row in blocked
            fits = self.decisive[row] == PASSED and row not in blocked
            flipped |= bool(self.feasible[row]) is not bool(fits)
            self.feasible[row] = fits
        return flipped


# ---------------------------------------------------------------- keys
#
# A refusal (plugin i of p, code, reason id) is one integer above 0, its key; 0 stands for "no refusal":
#
#     key = ((reason << 3) | code) * p + i + 1
#
# so that the kernel counts rows by refusal and compares two refusals as numbers (verdict_table.c makes the keys).
#
# Example with p = 3 and reason id 4 = ("Insufficient cpu",): plugin 1 refuses with code 2 (UNSCHEDULABLE).
#     key = ((4 << 3) | 2) * 3 + 1 + 1 = 104
#     refusal_parts(104, 3): 103 = 34 * 3 + 1 -> i = 1, 34 & 7 = 2, 34 >> 3 = 4

_CODE_BITS = 3


def refusal_key(i: int, code: int, reason: int, n_plugins: int) -> int:
    """The key of plugin ``i``'s refusal."""
    return (reason << _CODE_BITS | code) * n_plugins + i + 1


def refusal_parts(key: int, n_plugins: int) -> tuple[int, int, int]:
    """Plugin, code and reason id of a key above 0."""
    rest, i = divmod(key - 1, n_plugins)
    return i, rest & ((1 << _CODE_BITS) - 1), rest >> _CODE_BITS

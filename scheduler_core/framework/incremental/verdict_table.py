"""All filters' verdicts on all rows for one pod class, and the first refusal of each row.

The kernel brings them up to date (compiled_verdicts.py), or numpy does (numpy_verdicts.py).
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np
from numpy.typing import NDArray

from scheduler_core.framework.contracts.filter_outcome import NOT_VISITED, PASSED
from scheduler_core.framework.contracts.verdicts import Rows, Verdicts
from scheduler_core.framework.incremental.refusal_keys import Ways

Mask = NDArray[np.bool_]


class VerdictTable:
    """``codes`` uint8[p, n], ``reasons`` int32[p, n], ``decisive`` int16[n] (NOT_VISITED where no node is),
    ``feasible`` bool[n]; they change in place. ``counts``: rows by the key of their first refusal.

    A key is a number above 0 for (plugin, code, reasons): see Ways.
    """

    few_rows = 0
    """Up to so many rows it is cheaper to look at nodes one by one."""

    def __init__(self, n_plugins: int, n_rows: int, order: Rows) -> None:
        self.order = order
        self.in_order = len(order) == n_rows and bool((order == np.arange(n_rows)).all())
        self.codes: NDArray[np.uint8] = np.zeros((n_plugins, n_rows), dtype=np.uint8)
        self.reasons: NDArray[np.int32] = np.zeros((n_plugins, n_rows), dtype=np.int32)
        self.decisive: NDArray[np.int16] = np.full(n_rows, NOT_VISITED, dtype=np.int16)
        self.decisive[order] = PASSED
        self.feasible: Mask = self.decisive == PASSED
        self.counts: dict[int, int] = {}
        self.ways = Ways(n_plugins)
        self._refusing = [False] * n_plugins

    @property
    def keys(self) -> NDArray[np.int64]:
        """Of each row the key of its first refusal, 0 where there is none."""
        raise NotImplementedError

    def judge(self, i: int, rows: Rows, verdicts: Verdicts | None) -> Rows:
        """Take plugin ``i``'s verdicts on the rows (None: all pass); those where they are others than before, perhaps
        with some where they are not, and perhaps ``rows`` itself."""
        raise NotImplementedError

    def settle(self) -> tuple[Sequence[Rows], bool]:
        """Find the first refusal of the rows judged since anew: arrays of rows where it may be another plugin's, and
        whether other rows are feasible now."""
        raise NotImplementedError

    def block(self, blocked: Collection[int], changed: Sequence[int]) -> bool:
        """Have rows count as not feasible as long as they are in ``blocked``, which is kept; ``changed`` came or went
        there. Whether other rows are feasible now."""
        flipped = False
        for row in changed:
            fits = self.decisive[row] == PASSED and row not in blocked
            flipped |= bool(self.feasible[row]) is not bool(fits)
            self.feasible[row] = fits
        return flipped

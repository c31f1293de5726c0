"""Where a matrix of verdicts and scores may differ from the one that was recorded last."""

from __future__ import annotations

from scheduler_core.framework.contracts.verdicts import Rows

FEW_ROWS = 3
"""Up to so many rows are judged one by one, more by columns: a numpy call costs as much as a plain look at one node."""
_GROUPS_LOOKED_AT = 4
CODES, REASONS, DECISIVE, RAW = range(4)
"""Parts of a matrix. Codes, reasons and raw scores have a line for each plugin, ``decisive`` is one line."""
MatrixLine = tuple[int, int]
"""(part, index)"""


def should_reuse_rows(rows: Rows, n_changed: int) -> bool:
    """Whether to tell the array though only so many of its rows changed: one that stays costs no row numbers."""
    return 2 * n_changed >= len(rows) > 0 and not rows.flags.writeable


class ChangeSet:
    """Where a matrix may differ from the one recorded at ``base_cycle`` (-1: none was).

    ``groups`` are rows with the lines that may differ there; ``whole`` are lines that may differ anywhere; ``overlay``
    are rows where the pass with nominated pods may say something else.
    """

    __slots__ = ("base_cycle", "groups", "overlay", "whole")

    def __init__(self) -> None:
        self.base_cycle = -1
        self.groups: list[tuple[Rows, list[MatrixLine]]] = []
        self.whole: dict[MatrixLine, None] = {}
        self.overlay: set[int] = set()

    def rows(self, rows: Rows, *lines: MatrixLine) -> None:
        """These rows of the lines may have changed. The array must stay as it is, for good where it is read-only."""
        for known, told in self.groups[-_GROUPS_LOOKED_AT:]:
            if known is rows:
                told.extend(lines)
                return
        self.groups.append((rows, list(lines)))

    def recorded(self, cycle: int) -> None:
        """The matrix was recorded as it is."""
        self.base_cycle = cycle
        self.groups = []
        self.whole = {}
        self.overlay = set()

"""Where a matrix of verdicts and scores may differ from the one that was recorded last.

The caches of a pod class note each change here, and the recorder writes the values at these places only. A place
outside of ``groups``, ``whole`` and ``overlay`` equals the recorded matrix of ``base_cycle``; one inside may differ.
Rows are noted as the arrays that the caches have at hand, so a change of many rows costs one entry.

Example: a pod came to row 2, and the only filter that looked at it refuses now.
    rows([2], (CODES, 0), (REASONS, 0)), then rows([2], (DECISIVE, 0)) with the same array: one group
    [([2], [(CODES, 0), (REASONS, 0), (DECISIVE, 0)])], so the frame holds three values.
"""

from __future__ import annotations

from scheduler_core.framework.contracts.verdicts import Rows

FEW_ROWS = 3
"""Up to this many rows are judged one by one, more by columns: a numpy call costs as much as a look at one node."""
_GROUPS_LOOKED_AT = 4
CODES, REASONS, DECISIVE, RAW = range(4)
"""Parts of a matrix. Codes, reasons and raw scores have a line for each plugin, ``decisive`` is one line."""
MatrixLine = tuple[int, int]
"""(part, index)"""


def should_reuse_rows(rows: Rows, n_changed: int) -> bool:
    """Whether to report the whole array though only ``n_changed`` of its rows changed: a recording names the rows of an
    array that it has seen before by one number, and any other rows one by one."""
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
        for group_rows, group_lines in self.groups[-_GROUPS_LOOKED_AT:]:
            if group_rows is rows:
                group_lines.extend(lines)
                return
        self.groups.append((rows, list(lines)))

    def recorded(self, cycle: int) -> None:
        """The matrix was recorded as it is."""
        self.base_cycle = cycle
        self.groups = []
        self.whole = {}
        self.overlay = set()

"""Refused nodes in groups of equal verdicts."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from dashboard.debugger.panels.matrix.frame_view import FilterCell, FrameView
    from dashboard.debugger.panels.missing import MissingOnNodes

    Int64 = NDArray[np.int64]


@dataclass(frozen=True)
class VerdictGroup:
    """Nodes with the same verdicts, `key` names it in addresses.

    `reasons` are those of the first plugin that refused, `short` says them, what is missing first.
    """

    key: str
    count: int
    first: str
    last: str
    names: list[str]
    filters: list[FilterCell]
    plugin: str
    meaning: str
    reason: str
    reasons: tuple[str, ...]
    hidden: int
    short: str = ""

    @property
    def range_text(self) -> str:
        """Return the node, both nodes, or the first and the last by name."""
        between = ", " if self.count == 2 else " \N{HORIZONTAL ELLIPSIS} "
        return self.first if self.count == 1 else f"{self.first}{between}{self.last}"


def verdict_groups(view: FrameView, rows: Int64) -> list[VerdictGroup]:
    """Return the groups of refused rows, largest first."""
    firsts, ids = view.group_ids(rows)
    order = np.argsort(ids, kind="stable")
    edges = np.searchsorted(ids[order], np.arange(len(firsts) + 1))
    groups = []
    for i, first in enumerate(firsts):
        names = np.sort(view.array[rows[order[edges[i] : edges[i + 1]]]]).tolist()
        groups.append(_group(view, int(first), names))
    return sorted(groups, key=lambda group: (-group.count, group.first))


def with_short_reasons(groups: list[VerdictGroup], missing: MissingOnNodes) -> list[VerdictGroup]:
    """Return the groups with their reasons in short."""
    return [replace(group, short=missing.text(group.plugin, group.reasons, group.names)) for group in groups]


def _group(view: FrameView, row: int, names: list[str]) -> VerdictGroup:
    cells = view.cells(row)
    first = next((cell for cell in cells if cell.look in ("no", "nores")), None)
    over = view.frame.overlay_at(row)
    plugin, reasons = (first.plugin, view.frame.verdict(first.plugin, row).reasons) if first else ("", ())
    if first is None and over is not None:
        plugin, reasons = over.plugin, over.reasons
    return VerdictGroup(
        key=str(row),
        count=len(names),
        first=names[0],
        last=names[-1],
        names=names,
        filters=cells,
        plugin=plugin,
        meaning="unres" if first is not None and first.look == "nores" else "unsched",
        reason=", ".join(reasons) or "refused without a reason",
        reasons=tuple(reasons),
        hidden=sum(cell.look == "hid" for cell in cells),
    )

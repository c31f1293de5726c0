"""Refused nodes in groups of equal verdicts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from dashboard.debugger.panels.matrix.frame_view import FilterCell, FrameView

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Int64 = NDArray[np.int64]


@dataclass(frozen=True)
class Group:
    """Nodes with the same verdicts, `key` names it in addresses."""

    key: str
    count: int
    first: str
    last: str
    names: list[str]
    filters: list[FilterCell]
    plugin: str
    meaning: str
    reason: str
    hidden: int


def groups_of(view: FrameView, rows: Int64) -> list[Group]:
    """Return the groups of refused rows, largest first."""
    firsts, ids = view.group_ids(rows)
    order = np.argsort(ids, kind="stable")
    edges = np.searchsorted(ids[order], np.arange(len(firsts) + 1))
    groups = []
    for i, first in enumerate(firsts):
        names = np.sort(view.array[rows[order[edges[i] : edges[i + 1]]]]).tolist()
        groups.append(_group(view, int(first), names))
    return sorted(groups, key=lambda group: (-group.count, group.first))


def _group(view: FrameView, row: int, names: list[str]) -> Group:
    cells = view.cells(row)
    first = next((cell for cell in cells if cell.look in ("no", "nores")), None)
    over = view.frame.overlay_at(row)
    plugin, reason = (first.plugin, first.reason) if first else ("", "")
    if first is None and over is not None:
        plugin, reason = over.plugin, ", ".join(over.reasons)
    return Group(
        key=str(row),
        count=len(names),
        first=names[0],
        last=names[-1],
        names=names,
        filters=cells,
        plugin=plugin,
        meaning="unres" if first is not None and first.look == "nores" else "unsched",
        reason=reason or "refused without a reason",
        hidden=sum(cell.look == "hid" for cell in cells),
    )

"""What nodes have in common, in words: their names where they are few, else a label that all of them have."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from dashboard.common.pages.numbers import grouped
from dashboard.debugger.inputs.grouping import MOST_GROUPS, bare
from dashboard.debugger.labels import plural

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from dashboard.debugger.inputs.layout import NodeLayout

# Names of nodes tell nodes apart, not groups of them.
HOST_NAME = "kubernetes.io/hostname"
NAMED = 3
SHOWN_VALUES = 4


@dataclass(frozen=True)
class LabelColumns:
    """The values of labels by node: `columns` is {label: values in the order of `index`}, `first` the label to tell
    nodes apart by ("" for none)."""

    index: dict[str, int]
    columns: dict[str, NDArray[np.str_]]
    first: str

    def common(self, names: list[str]) -> str:
        """Return the nodes where they are few, else a label that all of them have and, as far as possible, no other
        node has; else how many have which value of the label that tells nodes apart; "" where nothing is known."""
        if len(names) <= NAMED:
            return ", ".join(names)
        at = [self.index[name] for name in names if name in self.index]
        if not at:
            return ""
        best = self._shared(at)
        if best:
            return best
        column = self.columns.get(self.first)
        if column is None:
            return ""
        counts = Counter(column[at].tolist()).most_common()
        shown = [f"{value or f'no {bare(self.first)}'} {grouped(n)}" for value, n in counts[:SHOWN_VALUES]]
        rest = sum(n for _, n in counts[SHOWN_VALUES:])
        return ", ".join(shown) + (f", other {grouped(rest)}" if rest else "")

    def _shared(self, at: list[int]) -> str:
        """The label that all the nodes have with one value: one that only they have first, then the first label."""
        best, best_rank = "", (2, 0)
        for i, (label, column) in enumerate(self.columns.items()):
            value = column[at[0]]
            if not value or (column[at] != value).any():
                continue
            n_others = int((column == value).sum()) - len(at)
            rank = (0, i) if not n_others else (1, 0 if label == self.first else i + 1)
            if rank < best_rank:
                best, best_rank = f"{bare(label)}={value}", rank
        return best


def unknown(names: list[str]) -> str:
    """Return what nodes have in common where their labels are not read: their names where they are few."""
    return ", ".join(names) if len(names) <= NAMED else plural(len(names), "node")


def label_columns(layout: NodeLayout, first: str) -> LabelColumns:
    """Return the labels that tell the nodes apart: those of 2 to MOST_GROUPS values, `first` before the others."""
    columns: dict[str, NDArray[np.str_]] = {}
    for label in sorted(layout.label_keys - {HOST_NAME}, key=lambda label: (label != first, label)):
        values = [node.labels.get(label, "") if node is not None else "" for node in layout.objects]
        if 1 < len(set(values)) <= MOST_GROUPS:
            columns[label] = np.array(values, dtype=np.str_)
    return LabelColumns(layout.index, columns, first)

"""Text on what nodes have in common: their names if they are few, else a label that all of them have."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

import msgspec
import numpy as np
from numpy.typing import NDArray

from scheduler_core.api.objects import Node, Pod
from scheduler_core.explain.outcomes.nodes import HOSTNAME
from scheduler_core.explain.outcomes.texts import short

MOST_VALUES = 40
"""A label with more values than this tells nodes apart, not groups of them."""
ZONES = ("topology.kubernetes.io/zone", "failure-domain.beta.kubernetes.io/zone")
_NAMED, _SHOWN_VALUES = 3, 4
# How the labels end by which vendors of devices name the model: gpu-card-model, gpu.product.
_MODEL_ENDINGS = ("model", "product")
Columns = Mapping[str, NDArray[np.str_]]
"""{label: its value on each node, "" where it is absent}."""


class SharedLabels(msgspec.Struct, frozen=True):
    """The values of labels by node: ``index`` is {node: its place in the columns}, ``first`` the label to tell nodes
    apart by ("" for none)."""

    index: Mapping[str, int]
    columns: Columns
    first: str = ""

    def common(self, names: Sequence[str]) -> str:
        """What the nodes have in common, in the first of these forms that there is.

        Their names, for a few nodes; a label that all of them have, rather one that no other node has; how many have
        each value of the label that best tells nodes apart; "" where nothing is known of them.
        """
        if len(names) <= _NAMED:
            return ", ".join(names)
        at = [self.index[name] for name in names if name in self.index]
        return self._shared(at) or self._values(at) if at else ""

    def value(self, names: Sequence[str]) -> str:
        """The value of the label that all of these nodes have, "" where there is none: "T4"."""
        at = [self.index[name] for name in names if name in self.index]
        return self._shared(at).partition("=")[2] if at else ""

    def _shared(self, at: list[int]) -> str:
        """The label that all the nodes have with one value: one that only they have first, then the first label."""
        best, best_rank = "", (2, 0)
        ordered = sorted(self.columns, key=lambda label: (label != self.first, label))
        for i, label in enumerate(ordered):
            column = self.columns[label]
            value = column[at[0]]
            if not value or (column[at] != value).any():
                continue
            n_others = int((column == value).sum()) - len(at)
            rank = (0, i) if not n_others else (1, i)
            if rank < best_rank:
                best, best_rank = f"{short(label)}={value}", rank
        return best

    def _values(self, at: list[int]) -> str:
        column = self.columns.get(self.first)
        if column is None:
            return ""
        counts = sorted(Counter(column[at].tolist()).items(), key=lambda item: (-item[1], item[0]))
        shown = [f"{value or f'no {short(self.first)}'} {n:,}" for value, n in counts[:_SHOWN_VALUES]]
        rest = sum(n for _, n in counts[_SHOWN_VALUES:])
        return ", ".join(shown) + (f", other {rest:,}" if rest else "")


def label_columns(nodes: Sequence[Node | None]) -> Columns:
    """The labels that tell the nodes apart: those of 2 to MOST_VALUES values, a missing one counted as a value."""
    keys = {key for node in nodes if node is not None for key in node.labels} - {HOSTNAME}
    columns: dict[str, NDArray[np.str_]] = {}
    for label in sorted(keys):
        values = [node.labels.get(label, "") if node is not None else "" for node in nodes]
        if 1 < len(set(values)) <= MOST_VALUES:
            columns[label] = np.array(values, dtype=np.str_)
    return columns


def distinguishing_label(columns: Columns, pod: Pod | None, requested: Sequence[str] = ()) -> str:
    """The label that distinguishes nodes for the pod: the first that does of those in its selectors, the model of the
    devices that it requests, and the zone; "" where none does."""
    candidates = (*_selected(pod), *_models(columns, requested), *ZONES)
    return next((label for label in candidates if label in columns), "")


def _selected(pod: Pod | None) -> Iterator[str]:
    if pod is None:
        return
    yield from sorted(pod.node_selector)
    required = pod.affinity.node_required if pod.affinity is not None else None
    for term in required.terms if required is not None else ():
        yield from (one.key for one in term.match_expressions)


def _models(columns: Columns, requested: Sequence[str]) -> list[str]:
    """Labels of the vendors of the devices that the pod requests, which name their model."""
    domains = {name.rpartition("/")[0] for name in requested if "/" in name}
    return sorted(key for key in columns if key.rpartition("/")[0] in domains and key.endswith(_MODEL_ENDINGS))

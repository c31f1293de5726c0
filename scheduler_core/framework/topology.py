"""Topology domains: counts per domain that can be changed on a copy, and nodes without repelling taints.

A domain is a value of a node label, named by its id in ``table.label(key)``; -1 is "the node lacks the label".
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from scheduler_core.api.objects import Toleration
from scheduler_core.columns.cluster import Cluster
from scheduler_core.columns.tallies import Tally, WeightOf

Int64 = NDArray[np.int64]
Int32 = NDArray[np.int32]
Mask = NDArray[np.bool_]
REPELLING = ("NoSchedule", "NoExecute")
"""Taint effects that keep a pod off a node (helper.DoNotScheduleTaintsFilterFunc)."""
_VECTOR_FROM = 32
_MAX_SUMS = 4096


class DomainCounts:
    """Numbers by domain id. ``base`` int64[n domains] is shared by clones and never written; ``delta`` is their own."""

    __slots__ = ("base", "delta")

    def __init__(self, base: Int64, delta: dict[int, int] | None = None) -> None:
        self.base = base
        self.delta = {} if delta is None else delta

    def clone(self) -> DomainCounts:
        """A copy that ``add`` may change."""
        return DomainCounts(self.base, dict(self.delta))

    def add(self, domain: int, amount: int) -> None:
        """Change the number of one domain."""
        self.delta[domain] = self.delta.get(domain, 0) + amount

    def of(self, domain: int) -> int:
        """The number of one domain."""
        return int(self.base[domain]) + self.delta.get(domain, 0)

    def values(self) -> Int64:
        """All numbers, int64[n domains]; read-only."""
        if not self.delta:
            return self.base
        values = self.base.copy()
        for domain, amount in self.delta.items():
            values[domain] += amount
        return values


class Domains:
    """The domains of one topology key, which rows take part, and sums over these by domain.

    ``ids`` int32[capacity]: domain of each row, -1 without the label; ``index`` the same as intp with ``n_values`` in
    place of -1, so that arrays of ``n_values + 1`` entries can be gathered with it; ``mask`` bool[capacity]: rows whose
    pods count; ``existing``: domains that have such rows; ``has_gaps``: some node lacks the label.

    Valid while no node object changes (``table.static_generation``).
    """

    __slots__ = ("_at", "_rows", "_sums", "existing", "has_gaps", "ids", "index", "mask", "n_values")

    def __init__(self, cluster: Cluster, topology_key: str, mask: Mask | None = None) -> None:
        column, alive = cluster.table.label(topology_key), cluster.table.alive
        self.ids: Int32 = column.ids
        self.n_values = len(column.values)
        self.index: NDArray[np.intp] = np.where(column.ids < 0, self.n_values, column.ids).astype(np.intp)
        self.mask: Mask = alive.copy() if mask is None else mask
        self.existing: NDArray[np.intp] = np.flatnonzero(np.bincount(self.index[self.mask]))
        self.has_gaps = bool((column.ids[alive] < 0).any())
        self._sums: dict[str, _DomainSums] = {}
        self._rows: Int64 | None = None
        self._at = self.index

    def at(self, rows: Int64) -> NDArray[np.intp]:
        """``index`` of the rows; remembered for the array asked for last, which is the same one cycle after cycle."""
        if rows is not self._rows:
            self._rows, self._at = rows, self.index.take(rows)
        return self._at

    def sums(self, cluster: Cluster, name: str, weight_of: WeightOf) -> Int64:
        """Sums int64[n_values + 1] of the weights of the pods on rows that take part; nodes without the label last.

        ``name`` and ``weight_of`` as for Cluster.tally. Kept from call to call and brought up to date by the log.
        """
        found = self._sums.get(name)
        if found is None:
            if len(self._sums) >= _MAX_SUMS:
                self._sums.pop(next(iter(self._sums)))
            tally = cluster.tally(name, weight_of)
            by_row = tally.counts[self.mask.nonzero()]
            # bincount sums in float64, which is exact for the counts and weights met here (below 2**53)
            totals = np.bincount(self.index[self.mask], weights=by_row, minlength=self.n_values + 1)
            found = self._sums[name] = _DomainSums(tally, totals.astype(np.int64))
        found.sync(cluster, self)
        return found.totals.copy()


class _DomainSums:
    """Totals by domain as of a position in the change log."""

    __slots__ = ("_position", "_tally", "totals")

    def __init__(self, tally: Tally, totals: Int64) -> None:
        self._tally = tally
        self._position = tally.position
        self.totals = totals

    def sync(self, cluster: Cluster, domains: Domains) -> None:
        """Apply what was logged since."""
        rows, classes, signs = cluster.log.since(self._position)
        if not len(rows):
            return
        self._position += len(rows)
        weights = self._tally.weights(cluster.classes.all)
        if len(rows) < _VECTOR_FROM:
            for row, cls, sign in zip(rows.tolist(), classes.tolist(), signs.tolist(), strict=True):
                if (weight := int(weights[cls])) and domains.mask[row]:
                    self.totals[domains.index[row]] += sign * weight
            return
        deltas = weights[classes] * signs
        hit = np.flatnonzero((deltas != 0) & domains.mask[rows])
        np.add.at(self.totals, domains.index[rows[hit]], deltas[hit])


def tolerated_mask(cluster: Cluster, tolerations: Iterable[Toleration]) -> Mask:
    """bool[capacity]: nodes without an untolerated NoSchedule or NoExecute taint; judged once per set of taints."""
    known = tuple(tolerations)
    fine = [
        all(any(t.tolerates(taint) for t in known) for taint in taints if taint.effect in REPELLING)
        for taints in cluster.table.taint_classes
    ]
    return np.array(fine, dtype=bool)[cluster.table.taint_class]

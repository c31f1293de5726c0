"""Topology domains: counts per domain that follow the cluster or a dry run, and nodes without repelling taints.

A domain is a value of a node label, named by its id in ``table.label(key)``; -1 is "the node lacks the label".
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from scheduler_core.api.taints import Toleration
from scheduler_core.columns.cluster import Cluster
from scheduler_core.columns.tallies import Among, Tally, WeightOf
from scheduler_core.compiled import kernel

Int64 = NDArray[np.int64]
Int32 = NDArray[np.int32]
Mask = NDArray[np.bool_]
REPELLING = ("NoSchedule", "NoExecute")
"""Taint effects that keep a pod off a node (helper.DoNotScheduleTaintsFilterFunc)."""
NOWHERE = 2**31 - 1
"""The fewest pods where no domain exists, as upstream starts its search."""
_MAX_SUMS = 4096
_MOST_CHANGES = 8192
_MANY_ROWS = 64
_MAX_FOUND = 32


class DomainCounts:
    """Numbers by domain id for a dry run. ``base`` int64[n_values + 1], the last of nodes without the label, is shared
    by clones and never written; ``delta`` is their own. ``labelled`` is the sum over all domains but the last."""

    __slots__ = ("base", "delta", "labelled")

    def __init__(self, base: Int64, labelled: int, delta: dict[int, int] | None = None) -> None:
        self.base = base
        self.labelled = labelled
        self.delta = {} if delta is None else delta

    def clone(self) -> DomainCounts:
        """A copy that ``add`` may change."""
        return DomainCounts(self.base, self.labelled, dict(self.delta))

    def add(self, domain: int, amount: int) -> None:
        """Change the number of one domain of a label."""
        self.delta[domain] = self.delta.get(domain, 0) + amount
        self.labelled += amount

    def of(self, domain: int) -> int:
        """The number of one domain."""
        return int(self.base[domain]) + self.delta.get(domain, 0)

    def values(self) -> Int64:
        """All numbers, int64[n_values + 1]; read-only."""
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
    pods count; ``existing``: domains that have such rows; ``counted_rows``: ``index`` with -1 in place of rows that do
    not take part.

    Valid while no node object changes (``table.static_generation``).
    """

    __slots__ = (
        "_at", "_bounds", "_by_domain", "_found", "_rows", "_sums", "counted_rows", "existing", "ids",
        "index", "mask", "n_values",
    )  # fmt: skip

    def __init__(
        self, cluster: Cluster, topology_key: str, mask: Mask | None = None, *, node_is_domain: bool = False
    ) -> None:
        """``node_is_domain``: every row that has the label is a domain by itself, whatever the value."""
        column, alive = cluster.table.label(topology_key), cluster.table.alive
        self.ids: Int32 = column.ids
        self.n_values = len(column.values)
        if node_is_domain:
            self.n_values = len(alive)
            self.ids = np.where(column.ids < 0, -1, np.arange(self.n_values, dtype=np.int32))
        self.index: NDArray[np.intp] = np.where(self.ids < 0, self.n_values, self.ids).astype(np.intp)
        self.mask: Mask = alive.copy() if mask is None else mask
        self.existing: NDArray[np.intp] = np.flatnonzero(np.bincount(self.index[self.mask]))
        self.counted_rows: Int64 = np.where(self.mask, self.index, -1)
        self._sums: dict[str, DomainSums] = {}
        self._rows: Int64 | None = None
        self._at = self.index
        self._by_domain: Int64 | None = None
        self._bounds: list[int] = []
        self._found: dict[frozenset[int], Int64] = {}

    def at(self, rows: Int64) -> NDArray[np.intp]:
        """``index`` of the rows; remembered for the array asked for last, which is the same one cycle after cycle."""
        if rows is not self._rows:
            self._rows, self._at = rows, self.index.take(rows)
        return self._at

    def rows_in(self, domain: int) -> Int64:
        """Rows that have the domain, whether they take part or not, ascending; read-only."""
        if self._by_domain is None:
            self._bounds = [0, *np.cumsum(np.bincount(self.index, minlength=self.n_values + 1)).tolist()]
            self._by_domain = np.argsort(self.index, kind="stable").astype(np.int64)
            self._by_domain.flags.writeable = False
        return self._by_domain[self._bounds[domain] : self._bounds[domain + 1]]

    def rows_of_any(self, some: Iterable[int]) -> Int64:
        """Rows that have any of the domains, each once; read-only, and the same array for the same domains mostly."""
        key = frozenset(some)
        rows = self._found.get(key)
        if rows is None:
            pieces = [self.rows_in(domain) for domain in key]
            rows = pieces[0] if len(pieces) == 1 else np.sort(np.concatenate(pieces))
            rows.flags.writeable = False
            if len(rows) >= _MANY_ROWS:
                if len(self._found) >= _MAX_FOUND:
                    self._found.clear()
                self._found[key] = rows
        return rows

    def sums(self, cluster: Cluster, name: str, weight_of: WeightOf, among: Among | None = None) -> DomainSums:
        """The sums of the weights of the pods on rows that take part, as they are now; ``sync`` follows the cluster.

        ``name``, ``weight_of`` and ``among`` as for Cluster.tally.
        """
        sums = self._sums.get(name)
        if sums is None:
            if len(self._sums) >= _MAX_SUMS:
                self._sums.pop(next(iter(self._sums)))
            sums = self._sums[name] = DomainSums(cluster, self, cluster.tally(name, weight_of, among))
        sums.sync()
        return sums


class DomainSums:
    """Sums of weights of placed pods by domain, which ``sync`` brings up to date by the change log.

    ``totals`` int64[n_values + 1], nodes without the label last: read it again after each ``sync``. ``labelled`` is the
    sum over all but the last. ``n_changes`` counts changes: who keeps it can ask later which domains changed since.
    """

    __slots__ = (
        "_changed", "_cluster", "_domains", "_dropped", "_fewest", "_lent", "_n_fewest", "_position", "_tally",
        "labelled", "n_changes", "totals",
    )  # fmt: skip

    def __init__(self, cluster: Cluster, domains: Domains, tally: Tally) -> None:
        self._cluster = cluster
        self._domains = domains
        self._tally = tally
        self._position = tally.position
        held = tally.counts.nonzero()[0]
        held = held.compress(domains.mask.take(held))
        by_row, index = tally.counts.take(held), domains.index.take(held)
        # bincount sums in float64, which is exact for the counts and weights met here (below 2**53)
        self.totals: Int64 = np.bincount(index, weights=by_row, minlength=domains.n_values + 1).astype(np.int64)
        self.labelled = int(self.totals[:-1].sum())
        self._lent = False
        self.n_changes = 0
        self._changed: list[int] = []
        self._dropped = 0
        self._fewest: int | None = None
        self._n_fewest = 0

    # --- reading -----------------------------------------------------------------------------------------------------
    def of(self, domain: int) -> int:
        """The sum of one domain."""
        return int(self.totals[domain])

    def values(self) -> Int64:
        """``totals``; read-only."""
        return self.totals

    def clone(self) -> DomainCounts:
        """The sums as they are now, for a dry run; ``sync`` leaves these alone."""
        self._lent = True
        return DomainCounts(self.totals, self.labelled)

    def fewest(self) -> int:
        """The least sum of any existing domain, NOWHERE where there is none."""
        if self._fewest is None:
            values = self.totals[self._domains.existing]
            self._fewest = int(values.min(initial=NOWHERE))
            self._n_fewest = int(np.count_nonzero(values == self._fewest))
        return self._fewest

    def changed_since(self, position: int) -> list[int] | None:
        """Domains that changed since the position, some perhaps twice; None where that is not known any more."""
        start = position - self._dropped
        return None if start < 0 else self._changed[start:]

    # --- following the log -------------------------------------------------------------------------------------------
    def sync(self) -> None:
        """Apply what was logged since the last time."""
        log, start = self._cluster.log, self._position
        if start == log.length:
            return
        self._position = log.length
        weights, compiled = self._tally.weights(self._cluster.classes.all), kernel()
        if compiled is None:
            rows, ids, signs = log.since(start)
            self._add_all(rows, weights[ids] * signs)
            return
        for domain, amount in compiled.follow(*log.since(start), weights, self._domains.counted_rows):
            self._add(domain, amount)

    def _add(self, domain: int, amount: int) -> None:
        self._make_own()
        before = int(self.totals[domain])
        after = before + amount
        self.totals[domain] = after
        if domain < self._domains.n_values:
            self.labelled += amount
        self._changed.append(domain)
        self.n_changes += 1
        if self._fewest is None:
            return
        if after < self._fewest:
            self._fewest, self._n_fewest = after, 1
        elif after == self._fewest:
            self._n_fewest += 1
        elif before == self._fewest:
            self._n_fewest -= 1
            if not self._n_fewest:
                self._fewest = None

    def _add_all(self, rows: Int64, amounts: Int64) -> None:
        hit = np.flatnonzero((amounts != 0) & self._domains.mask[rows])
        if not len(hit):
            return
        self._make_own()
        domains = self._domains.index[rows[hit]]
        np.add.at(self.totals, domains, amounts[hit])
        self.labelled = int(self.totals[:-1].sum())
        self._changed += domains.tolist()
        self.n_changes += len(domains)
        self._fewest = None

    def _make_own(self) -> None:
        """Before a change: leave lent totals to their users, and forget changes of long ago."""
        if self._lent:
            self.totals, self._lent = self.totals.copy(), False
        if len(self._changed) > _MOST_CHANGES:
            self._dropped, self._changed = self.n_changes, []


Counts = DomainSums | DomainCounts
"""What a state reads from: the sums of the cluster, or those of a dry run."""


def tolerated_mask(cluster: Cluster, tolerations: Iterable[Toleration]) -> Mask:
    """bool[capacity]: nodes without an untolerated NoSchedule or NoExecute taint; judged once per set of taints."""
    accepted = tuple(tolerations)
    fine = [
        all(any(t.tolerates(taint) for t in accepted) for taint in taints if taint.effect in REPELLING)
        for taints in cluster.table.taint_classes
    ]
    return np.array(fine, dtype=bool)[cluster.table.taint_class]

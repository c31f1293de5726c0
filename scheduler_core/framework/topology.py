"""Topology domains: counts per domain that can be changed on a copy, and nodes without repelling taints.

A domain is a value of a node label, named by its id in ``table.label(key)``; -1 is "the node lacks the label".
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from scheduler_core.api.objects import Toleration
from scheduler_core.columns.cluster import Cluster

Int64 = NDArray[np.int64]
Int32 = NDArray[np.int32]
Mask = NDArray[np.bool_]
REPELLING = ("NoSchedule", "NoExecute")
"""Taint effects that keep a pod off a node (helper.DoNotScheduleTaintsFilterFunc)."""


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


def sum_by_domain(domains: Int32, numbers: Int64, n_domains: int) -> Int64:
    """Sums int64[n_domains] of ``numbers`` over equal ``domains`` (all >= 0), both of one length."""
    # bincount sums in float64, which is exact for the counts and weights met here (below 2**53)
    return np.bincount(domains, weights=numbers, minlength=n_domains).astype(np.int64)


def tolerated_mask(cluster: Cluster, tolerations: Iterable[Toleration]) -> Mask:
    """bool[capacity]: nodes without an untolerated NoSchedule or NoExecute taint; judged once per set of taints."""
    known = tuple(tolerations)
    fine = [
        all(any(t.tolerates(taint) for t in known) for taint in taints if taint.effect in REPELLING)
        for taints in cluster.table.taint_classes
    ]
    return np.array(fine, dtype=bool)[cluster.table.taint_class]

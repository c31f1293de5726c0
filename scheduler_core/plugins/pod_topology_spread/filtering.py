"""Hard constraints: pods per domain, the fewest in any domain, and the verdict per domain."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from scheduler_core.columns.cluster import Cluster
from scheduler_core.columns.node_view import NodeView
from scheduler_core.columns.pods import PodInfo
from scheduler_core.framework.interface import ReasonTable, Rows, Verdicts
from scheduler_core.framework.status import SUCCESS, Code, Status, unresolvable, unschedulable
from scheduler_core.framework.topology import DomainCounts
from scheduler_core.plugins.pod_topology_spread.common import Participation, selects

REASON_CONSTRAINTS = "node(s) didn't match pod topology spread constraints"
REASON_LABEL = REASON_CONSTRAINTS + " (missing required label)"
_SKEWED, _UNLABELLED = unschedulable(REASON_CONSTRAINTS), unresolvable(REASON_LABEL)
_NOWHERE = 2**31 - 1
"""The fewest pods where no domain exists, as upstream starts its search."""


class HardSpread:
    """One hard constraint during a cycle: pods by domain, and the domains with the fewest."""

    __slots__ = ("_fewest", "counts", "existing", "part")

    def __init__(self, part: Participation, counts: DomainCounts, fewest: NDArray[np.intp] | None = None) -> None:
        self.part = part
        self.counts = counts
        self.existing = part.nodes.existing
        self._fewest = fewest

    @classmethod
    def of(cls, part: Participation, cluster: Cluster) -> HardSpread:
        """The constraint with the pods that are placed now."""
        return cls(part, DomainCounts(part.pods_by_domain(cluster)))

    def clone(self) -> HardSpread:
        """A copy whose counts may be changed."""
        return HardSpread(self.part, self.counts.clone(), self._fewest)

    def least(self) -> int:
        """The fewest matching pods in any domain; 0 where there are fewer domains than minDomains."""
        if len(self.existing) < (self.part.constraint.min_domains or 1):
            return 0
        if not self.counts.delta:
            return int(self.counts.base[self.existing].min(initial=_NOWHERE))
        changed = [self.counts.of(domain) for domain in self.counts.delta]
        return min(*changed, self._least_unchanged())

    def skew(self, domain: int) -> int:
        """The skew that the pod would bring about in the domain."""
        return self.counts.of(domain) + self.part.self_match - self.least()

    def refused_domains(self) -> NDArray[np.bool_]:
        """bool[n_values + 1]: domains where the pod would exceed maxSkew; the last is meaningless."""
        limit = self.part.constraint.max_skew + self.least() - self.part.self_match
        return self.counts.values() > limit

    def update(self, pod: PodInfo, other: PodInfo, row: int, amount: int) -> None:
        """Account for ``amount`` of ``other`` on the row; unlike the first count, terminating pods are included."""
        if not self.part.nodes.mask[row] or other.pod.namespace != pod.pod.namespace:
            return
        if selects(self.part.constraint.label_selector, other.pod.labels):
            self.counts.add(int(self.part.nodes.ids[row]), amount)

    def _least_unchanged(self) -> int:
        """The fewest pods in any domain without a delta; the two smallest settle it while one domain changes."""
        if self._fewest is None:
            values = self.counts.base[self.existing]
            self._fewest = self.existing[np.argsort(values, kind="stable")[:2]]
        for domain in self._fewest.tolist():
            if domain not in self.counts.delta:
                return int(self.counts.base[domain])
        others = self.existing[~np.isin(self.existing, list(self.counts.delta))]
        return int(self.counts.base[others].min(initial=_NOWHERE))


HardState = tuple[HardSpread, ...]


def verdict(state: HardState, node: NodeView) -> Status:
    """The first constraint that the node fails, or success."""
    for spread in state:
        domain = int(spread.part.nodes.ids[node.row])
        if domain < 0:
            return _UNLABELLED
        if spread.skew(domain) > spread.part.constraint.max_skew:
            return _SKEWED
    return SUCCESS


def verdicts(state: HardState, rows: Rows, reasons: ReasonTable) -> Verdicts | None:
    """Verdicts of all rows: judged per domain, then gathered; None when all pass."""
    codes = np.zeros(len(rows), dtype=np.uint8)
    for spread in state:
        nodes, refused = spread.part.nodes, spread.refused_domains()
        refused[-1] = nodes.has_gaps
        if refused.any():
            by_domain = refused * np.uint8(Code.UNSCHEDULABLE)
            by_domain[-1] = Code.UNSCHEDULABLE_AND_UNRESOLVABLE
            found = by_domain.take(nodes.at(rows))
            codes = np.where(codes == 0, found, codes) if codes.any() else found
    if not codes.any():
        return None
    by_code = np.zeros(Code.UNSCHEDULABLE_AND_UNRESOLVABLE + 1, dtype=np.int32)
    by_code[Code.UNSCHEDULABLE] = reasons.intern((REASON_CONSTRAINTS,))
    by_code[Code.UNSCHEDULABLE_AND_UNRESOLVABLE] = reasons.intern((REASON_LABEL,))
    return Verdicts(codes, by_code.take(codes))

"""Hard constraints: pods per domain, the fewest in any domain, and the verdict per domain."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np
from numpy.typing import NDArray

from scheduler_core.columns.cluster import Cluster
from scheduler_core.columns.node_view import NodeView
from scheduler_core.columns.pods import PodInfo
from scheduler_core.compiled import kernel
from scheduler_core.compiled.interface import MOST_TOPOLOGIES
from scheduler_core.framework.contracts.change_set import FEW_ROWS
from scheduler_core.framework.contracts.plugin import PluginCache
from scheduler_core.framework.contracts.status import SUCCESS, Code, Status, unresolvable, unschedulable
from scheduler_core.framework.contracts.verdicts import ReasonTable, Rows, Verdicts
from scheduler_core.framework.topology.domain_rows import NO_ROWS, rows_in
from scheduler_core.framework.topology.domains import NOWHERE, Counts, DomainCounts, Domains, DomainSums
from scheduler_core.plugins.pod_topology_spread.common import Participation, selects

REASON_CONSTRAINTS = "node(s) didn't match pod topology spread constraints"
REASON_LABEL = REASON_CONSTRAINTS + " (missing required label)"
_SKEWED, _UNLABELLED = unschedulable(REASON_CONSTRAINTS), unresolvable(REASON_LABEL)
_PASS, _SKEW, _NO_LABEL = int(Code.SUCCESS), int(Code.UNSCHEDULABLE), int(Code.UNSCHEDULABLE_AND_UNRESOLVABLE)
_TEXTS = tuple(
    {_SKEW: (REASON_CONSTRAINTS,), _NO_LABEL: (REASON_LABEL,)}.get(code, ()) for code in range(_NO_LABEL + 1)
)
_FEW_CHANGES = 16

Codes = NDArray[np.uint8]
Pieces = Rows | tuple[Rows, ...]


class HardSpread:
    """One hard constraint: pods by domain, those placed now or those of a dry run, and the domains with the fewest."""

    __slots__ = ("_fewest", "_has_enough", "_position", "_room", "counts", "existing", "part")

    def __init__(self, part: Participation, counts: Counts, fewest: NDArray[np.intp] | None = None) -> None:
        self.part = part
        self.counts = counts
        self.existing = part.nodes.existing
        self._fewest = fewest
        self._position = -1
        self._has_enough = len(self.existing) >= (part.constraint.min_domains or 1)
        self._room = part.constraint.max_skew - part.self_match

    def clone(self) -> HardSpread:
        """A copy whose counts may be changed."""
        return HardSpread(self.part, self.counts.clone(), self._two_fewest())

    def sync(self) -> None:
        """Bring the counts up to date with the cluster; copies taken for dry runs do not change."""
        assert isinstance(self.counts, DomainSums)
        self.counts.sync()
        if self._position != self.counts.n_changes:
            self._position, self._fewest = self.counts.n_changes, None

    def least(self) -> int:
        """The fewest matching pods in any domain; 0 where there are fewer domains than minDomains."""
        if not self._has_enough:
            return 0
        counts = self.counts
        if isinstance(counts, DomainSums):
            return counts.fewest()
        changed = [counts.of(domain) for domain in counts.delta]
        return min(*changed, NOWHERE, self._least_unchanged(counts))

    @property
    def limit(self) -> int:
        """The most pods that a domain may hold for the pod to be let in."""
        return self._room + self.least()

    def codes(self) -> Codes:
        """Verdicts uint8[n_values + 1] of all domains, the last of nodes without the label."""
        codes = (self.counts.values() > self.limit) * np.uint8(_SKEW)
        codes[-1] = _NO_LABEL
        return codes

    def update(self, pod: PodInfo, other: PodInfo, row: int, amount: int) -> None:
        """Account for ``amount`` of ``other`` on the row; unlike the first count, terminating pods are included."""
        assert isinstance(self.counts, DomainCounts), "only what was cloned may be changed"
        if not self.part.nodes.mask[row] or other.pod.namespace != pod.pod.namespace:
            return
        if selects(self.part.constraint.label_selector, other.pod.labels):
            self.counts.add(int(self.part.nodes.ids[row]), amount)

    def _two_fewest(self) -> NDArray[np.intp]:
        """The two domains with the fewest pods (or the only one), fewest first; pods of a dry run are left aside."""
        if self._fewest is None:
            numbers = self.counts.base if isinstance(self.counts, DomainCounts) else self.counts.totals
            some = numbers[self.existing]
            ascending = np.argpartition(some, 1)[:2] if len(some) > 2 else np.argsort(some)
            self._fewest = self.existing[ascending]
        return self._fewest

    def _least_unchanged(self, counts: DomainCounts) -> int:
        """The fewest pods in any domain without a delta; the two smallest settle it while one domain changes."""
        for domain in self._two_fewest().tolist():
            if domain not in counts.delta:
                return int(counts.base[domain])
        others = self.existing[~np.isin(self.existing, list(counts.delta))]
        return int(counts.base[others].min(initial=NOWHERE))


class HardState:
    """The hard constraints of a pod: of the cluster as it is (``live``), or of a dry run."""

    __slots__ = ("live", "spreads")

    def __init__(self, spreads: tuple[HardSpread, ...], *, live: bool) -> None:
        self.spreads = spreads
        self.live = live

    @classmethod
    def of(cls, parts: Sequence[Participation], cluster: Cluster) -> HardState:
        """With the pods that are placed now, and later ones after each ``sync``."""
        return cls(tuple(HardSpread(part, part.pods_by_domain(cluster)) for part in parts), live=True)

    def clone(self) -> HardState:
        """A copy for a dry run."""
        self.sync()
        return HardState(tuple(spread.clone() for spread in self.spreads), live=False)

    def sync(self) -> None:
        """Follow the cluster, unless this is a dry run."""
        if self.live:
            for spread in self.spreads:
                spread.sync()


def verdict(state: HardState, node: NodeView) -> Status:
    """The first constraint that the node fails, or success."""
    state.sync()
    for spread in state.spreads:
        domain = int(spread.part.nodes.ids[node.row])
        if domain < 0:
            return _UNLABELLED
        if spread.counts.of(domain) > spread.limit:
            return _SKEWED
    return SUCCESS


def verdicts(state: HardState, rows: Rows, reasons: ReasonTable) -> Verdicts | None:
    """Verdicts of the rows: judged per domain, then gathered; None when all pass."""
    state.sync()
    return _explained(_first_refusals([(spread.codes(), spread.part.nodes) for spread in state.spreads], rows), reasons)


def verdict_delta(
    state: HardState, order: Rows, cache: PluginCache, reasons: ReasonTable
) -> tuple[Pieces | None, Verdicts | None]:
    """As FilterPlugin.filter_delta, where ``order`` are all rows."""
    state.sync()
    last: _LastSpreadVerdicts | None = cache.value
    if last is None or last.state is not state:
        cache.value = _LastSpreadVerdicts(state)
        return None, verdicts(state, order, reasons)
    return last.update(reasons)


class _LastSpreadVerdicts:
    """What was last answered for all rows."""

    def __init__(self, state: HardState) -> None:
        self.state = state
        self._by_spread = [_SpreadDomains(spread) for spread in state.spreads]
        self._capacity = len(state.spreads[0].part.nodes.index)

    def update(self, reasons: ReasonTable) -> tuple[Pieces, Verdicts | None]:
        """Rows whose verdict may be another than last time, and their verdicts."""
        flipped = [(answered.nodes, answered.update()) for answered in self._by_spread]
        nodes, domains = flipped[0]
        rows = nodes.rows_of_any(domains) if domains else NO_ROWS
        if len(rows) <= FEW_ROWS:
            return self._judged(rows_in(flipped, self._capacity), reasons)
        others = rows_in(flipped[1:], self._capacity)
        if len(others) <= _FEW_CHANGES:
            # a row that the first constraint goes on refusing keeps its verdict, whatever the others say
            index, first = nodes.index, self._by_spread[0].codes
            outside = [row for row in others.tolist() if index[row] not in domains and not first[index[row]]]
            now = {int(first[domain]) for domain in domains}
            if now == {_SKEW} and not outside:
                return rows, Verdicts.broadcast(_SKEW, int(reasons.intern_all(_TEXTS)[_SKEW]), len(rows))
            if now == {_PASS}:
                return self._judged(self._let_in(rows, outside), reasons)
        return self._judged(rows_in(flipped, self._capacity), reasons)

    def _let_in(self, rows: Rows, outside: list[int]) -> Pieces:
        """Rows that the first constraint refuses no more, perhaps with some that the others refuse as it did, and
        ``outside``."""
        return (rows, np.array(outside, dtype=np.int64)) if outside else rows

    def _judged(self, rows: Pieces, reasons: ReasonTable) -> tuple[Pieces, Verdicts | None]:
        every = np.concatenate(rows) if isinstance(rows, tuple) else rows
        return rows, _explained(self._codes(self._by_spread, every), reasons) if len(every) else None

    def _codes(self, by_spread: Sequence[_SpreadDomains], rows: Rows) -> Codes:
        return _first_refusals([(answered.codes, answered.nodes) for answered in by_spread], rows)


class _SpreadDomains:
    """The verdicts of one constraint's domains as last answered, ``codes`` as of HardSpread."""

    def __init__(self, spread: HardSpread) -> None:
        assert isinstance(spread.counts, DomainSums)
        self._spread = spread
        self._sums = spread.counts
        self.nodes: Domains = spread.part.nodes
        self.codes = spread.codes()
        self._limit = spread.limit
        self._position = self._sums.n_changes

    def update(self) -> Collection[int]:
        """Bring ``codes`` up to date; domains whose verdict is another than before, each once."""
        if self._position == self._sums.n_changes:
            return ()
        changed, limit = self._sums.changed_since(self._position), self._spread.limit
        self._position = self._sums.n_changes
        if limit != self._limit or changed is None or len(changed) > _FEW_CHANGES:
            self._limit = limit
            before, self.codes = self.codes, self._spread.codes()
            flipped: list[int] = (before != self.codes).nonzero()[0].tolist()
            return flipped
        return [domain for domain in dict.fromkeys(changed) if self._flips(domain)]

    def _flips(self, domain: int) -> bool:
        code = _SKEW if self._sums.of(domain) > self._limit else _PASS
        if self.codes[domain] == code:
            return False
        self.codes[domain] = code
        return True


def _first_refusals(by_spread: Sequence[tuple[Codes, Domains]], rows: Rows) -> Codes:
    """Verdicts of rows by the first constraint that each fails, from the verdicts of every constraint's domains."""
    compiled = kernel()
    if compiled is not None and len(by_spread) <= MOST_TOPOLOGIES:
        refusals: Codes = np.empty(len(rows), dtype=np.uint8)
        compiled.first_codes(tuple([(codes, nodes.index) for codes, nodes in by_spread]), rows, refusals)
        return refusals
    first: Codes = np.zeros(len(rows), dtype=np.uint8)
    for codes, nodes in by_spread:
        if first.all() and len(rows):
            break
        first = np.where(first == 0, codes.take(nodes.at(rows)), first)
    return first


def _explained(codes: Codes, reasons: ReasonTable) -> Verdicts | None:
    """With the reasons; None where all pass."""
    if not codes.any():
        return None
    return Verdicts(codes, reasons.intern_all(_TEXTS).take(codes))

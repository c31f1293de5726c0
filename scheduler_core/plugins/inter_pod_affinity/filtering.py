"""Required terms of both sides: pairs of topology key and value with how many matches they hold."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from scheduler_core.columns.node_view import NodeView
from scheduler_core.columns.pods import PodClass, PodInfo
from scheduler_core.columns.tallies import WeightOf
from scheduler_core.framework.interface import ReasonTable, Rows, Verdicts
from scheduler_core.framework.status import SUCCESS, Status, unresolvable, unschedulable
from scheduler_core.framework.topology import DomainCounts, Int64
from scheduler_core.plugins.inter_pod_affinity.common import (
    DomainMap,
    Incoming,
    TermIndex,
    Terms,
    keys_of,
    matches_all,
)

REASON_AFFINITY = "node(s) didn't match pod affinity rules"
REASON_ANTI_AFFINITY = "node(s) didn't match pod anti-affinity rules"
REASON_EXISTING = "node(s) didn't satisfy existing pods anti-affinity rules"
_NO_AFFINITY = unresolvable(REASON_AFFINITY)
_ANTI_AFFINITY = unschedulable(REASON_ANTI_AFFINITY)
_EXISTING = unschedulable(REASON_EXISTING)
_REFUSALS = (SUCCESS, _NO_AFFINITY, _ANTI_AFFINITY, _EXISTING)

Refused = NDArray[np.bool_]


class PairCounts:
    """Matches by topology key and domain; ``total`` over all pairs. Keys without any match are left out."""

    __slots__ = ("_domains", "by_key", "total")

    def __init__(self, domains: DomainMap, by_key: dict[str, DomainCounts] | None = None, total: int = 0) -> None:
        self._domains = domains
        self.by_key = {} if by_key is None else by_key
        self.total = total

    def clone(self) -> PairCounts:
        """A copy that ``add`` may change."""
        return PairCounts(self._domains, {key: counts.clone() for key, counts in self.by_key.items()}, self.total)

    def put(self, topology_key: str, counts: Int64) -> None:
        """Set the counts of a key."""
        if total := int(counts.sum()):
            self.by_key[topology_key] = DomainCounts(counts)
            self.total += total

    def add(self, topology_key: str, row: int, amount: int) -> None:
        """Count matches on the node of the row, if it has the label."""
        domains = self._domains.of(topology_key)
        domain = int(domains.ids[row])
        if domain < 0:
            return
        counts = self.by_key.get(topology_key)
        if counts is None:
            counts = self.by_key[topology_key] = DomainCounts(np.zeros(domains.n_values, dtype=np.int64))
        counts.add(domain, amount)
        self.total += amount

    def on(self, topology_key: str, row: int) -> int:
        """Matches in the domain of the row; 0 where it lacks the label."""
        counts = self.by_key.get(topology_key)
        domain = int(self._domains.of(topology_key).ids[row])
        return 0 if counts is None or domain < 0 else counts.of(domain)

    def positive(self, topology_key: str, rows: Rows) -> Refused:
        """bool[len(rows)]: which rows have domains that hold matches."""
        counts, domains = self.by_key.get(topology_key), self._domains.of(topology_key)
        if counts is None:
            return np.zeros(len(rows), dtype=bool)
        held = np.zeros(domains.n_values + 1, dtype=bool)  # the last is reached by rows without the label
        np.greater(counts.values(), 0, out=held[:-1])
        return held.take(domains.at(rows))

    def lacking(self, topology_key: str, rows: Rows) -> Refused:
        """bool[len(rows)]: which rows lack the label."""
        return self._domains.of(topology_key).ids.take(rows) < 0


class HardState:
    """Counts of a cycle: placed pods' anti-affinity terms that mean the incoming pod (``existing``), placed pods that
    match all its affinity terms, and matches of its anti-affinity terms."""

    __slots__ = ("affinity", "anti_affinity", "existing", "incoming")

    def __init__(
        self, incoming: Incoming, existing: PairCounts, affinity: PairCounts, anti_affinity: PairCounts
    ) -> None:
        self.incoming = incoming
        self.existing = existing
        self.affinity = affinity
        self.anti_affinity = anti_affinity

    def clone(self) -> HardState:
        """A copy that ``update`` may change."""
        return HardState(self.incoming, self.existing.clone(), self.affinity.clone(), self.anti_affinity.clone())

    def update(self, index: TermIndex, other: PodInfo, row: int, sign: int) -> None:
        """Account for ``other`` having come to (+1) or left (-1) the row."""
        index.sync()
        terms, mine = index.of(other.cls), self.incoming.terms
        for term in terms.anti_affinity if terms is not None else ():
            if self.incoming.is_meant_by(term):
                self.existing.add(term.topology_key, row, sign)
        if matches_all(mine.affinity, other.pod):
            for term in mine.affinity:
                self.affinity.add(term.topology_key, row, sign)
        for term in mine.anti_affinity:
            if term.matches(other.pod.labels, other.pod.namespace):
                self.anti_affinity.add(term.topology_key, row, sign)

    @property
    def is_first_of_its_kind(self) -> bool:
        """Whether no pod anywhere matches the affinity terms but the pod itself does: any labelled node will do."""
        return self.affinity.total == 0 and self.incoming.matches_itself


def hard_state(domains: DomainMap, index: TermIndex, incoming: Incoming) -> HardState:
    """The counts over all placed pods, from tallies."""
    return HardState(
        incoming,
        _existing(domains, index, incoming),
        _matching_all(domains, incoming),
        _matching_each(domains, incoming),
    )


def _existing(domains: DomainMap, index: TermIndex, incoming: Incoming) -> PairCounts:
    def weight_for(key: str) -> WeightOf:
        def weight_of(cls: PodClass) -> int:
            terms = index.of(cls)
            if terms is None:
                return 0
            return sum(t.topology_key == key and incoming.is_meant_by(t) for t in terms.anti_affinity)

        return weight_of

    counts = PairCounts(domains)
    for key in index.anti_affinity_keys:
        name, weight_of = incoming.name("existing", key), weight_for(key)
        if domains.cluster.tally(name, weight_of).total:
            counts.put(key, domains.sums(key, name, weight_of))
    return counts


def _matching_all(domains: DomainMap, incoming: Incoming) -> PairCounts:
    counts = PairCounts(domains)
    terms = incoming.terms.affinity
    for key in keys_of(terms):
        n_terms = sum(term.topology_key == key for term in terms)
        sums = domains.sums(key, incoming.name("affinity"), lambda cls: int(matches_all(terms, cls.example)))
        counts.put(key, n_terms * sums)
    return counts


def _matching_each(domains: DomainMap, incoming: Incoming) -> PairCounts:
    def weight_for(terms: Terms) -> WeightOf:
        return lambda cls: sum(term.matches(cls.labels, cls.namespace) for term in terms)

    counts = PairCounts(domains)
    for key, terms in incoming.anti_affinity_by_key.items():
        counts.put(key, domains.sums(key, incoming.name("anti-affinity", key), weight_for(terms)))
    return counts


# --- verdicts ------------------------------------------------------------------------------------------------------
def verdict(state: HardState, node: NodeView) -> Status:
    """The first of the three rules that the node breaks, or success."""
    if not _satisfies_affinity(state, node):
        return _NO_AFFINITY
    if any(state.anti_affinity.on(t.topology_key, node.row) > 0 for t in state.incoming.terms.anti_affinity):
        return _ANTI_AFFINITY
    if any(state.existing.on(key, node.row) > 0 for key in state.existing.by_key):
        return _EXISTING
    return SUCCESS


def _satisfies_affinity(state: HardState, node: NodeView) -> bool:
    terms = state.incoming.terms.affinity
    if any(term.topology_key not in node.node.labels for term in terms):
        return False
    return all(state.affinity.on(t.topology_key, node.row) > 0 for t in terms) or state.is_first_of_its_kind


def verdicts(state: HardState, rows: Rows, reasons: ReasonTable) -> Verdicts | None:
    """Verdicts of all rows: judged per domain, then gathered; None when all pass."""
    rule = np.zeros(len(rows), dtype=np.uint8)  # index into _REFUSALS; written from the last rule to the first
    for key in state.existing.by_key:
        rule[state.existing.positive(key, rows)] = 3
    for key in keys_of(state.incoming.terms.anti_affinity):
        rule[state.anti_affinity.positive(key, rows)] = 2
    for key in keys_of(state.incoming.terms.affinity):
        if state.is_first_of_its_kind:
            rule[state.affinity.lacking(key, rows)] = 1
        else:
            rule[~state.affinity.positive(key, rows)] = 1
    if not rule.any():
        return None
    codes = np.array([status.code for status in _REFUSALS], dtype=np.uint8)
    texts = np.array([reasons.intern(status.reasons) for status in _REFUSALS], dtype=np.int32)
    return Verdicts(codes.take(rule), texts.take(rule))

"""Required terms of both sides: pairs of topology key and value with how many matches they hold."""

from __future__ import annotations

from collections.abc import Collection, Iterable

import numpy as np
from numpy.typing import NDArray

from scheduler_core.columns.node_view import NodeView
from scheduler_core.columns.pods import PodClass, PodInfo
from scheduler_core.columns.tallies import WeightOf
from scheduler_core.framework.interface import Memory, ReasonTable, Rows, Verdicts
from scheduler_core.framework.status import SUCCESS, Status, unresolvable, unschedulable
from scheduler_core.framework.topology import Counts, DomainCounts, Domains, DomainSums, rows_in
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

Mask = NDArray[np.bool_]
_FEW_CHANGES = 16


class PairCounts:
    """Matches by topology key and domain: of the cluster as it is, or of a dry run, which alone may be changed."""

    __slots__ = ("_domains", "by_key")

    def __init__(self, domains: DomainMap, by_key: dict[str, Counts] | None = None) -> None:
        self._domains = domains
        self.by_key: dict[str, Counts] = {} if by_key is None else by_key

    @property
    def total(self) -> int:
        """Matches in all pairs."""
        return sum([counts.labelled for counts in self.by_key.values()])

    def clone(self) -> PairCounts:
        """A copy that ``add`` may change."""
        return PairCounts(self._domains, {key: counts.clone() for key, counts in self.by_key.items()})

    def sync(self) -> None:
        """Follow the cluster."""
        for counts in self.by_key.values():
            assert isinstance(counts, DomainSums), "a dry run follows nothing"
            counts.sync()

    def add(self, topology_key: str, row: int, amount: int) -> None:
        """Count matches on the node of the row, if it has the label."""
        domains = self._domains.of(topology_key)
        domain = int(domains.ids[row])
        if domain < 0:
            return
        counts = self.by_key.get(topology_key)
        if counts is None:
            counts = self.by_key[topology_key] = DomainCounts(np.zeros(domains.n_values + 1, dtype=np.int64), 0)
        assert isinstance(counts, DomainCounts), "only what was cloned may be changed"
        counts.add(domain, amount)

    def on(self, topology_key: str, row: int) -> int:
        """Matches in the domain of the row; 0 where it lacks the label."""
        counts = self.by_key.get(topology_key)
        domain = int(self._domains.of(topology_key).ids[row])
        return 0 if counts is None or domain < 0 else counts.of(domain)

    def held(self) -> list[tuple[Domains, Mask]]:
        """For each key which domains hold matches, bool[n_values + 1]; the last, nodes without the label, never do."""
        return [(self._domains.of(key), _held(counts)) for key, counts in self.by_key.items()]


def _held(counts: Counts) -> Mask:
    held: Mask = counts.values() > 0
    held[-1] = False
    return held


class HardState:
    """Placed pods' anti-affinity terms that mean the incoming pod (``existing``), placed pods that match all its
    affinity terms, and matches of its anti-affinity terms: of the cluster (``live``) as of ``sync``, or of a dry run.
    """

    __slots__ = ("_index", "_n_read", "affinity", "anti_affinity", "existing", "incoming", "live")

    def __init__(
        self, index: TermIndex, incoming: Incoming, pairs: tuple[PairCounts, PairCounts, PairCounts], *, live: bool
    ) -> None:
        self._index = index
        self._n_read = 0
        self.incoming = incoming
        self.existing, self.affinity, self.anti_affinity = pairs
        self.live = live

    @classmethod
    def of(cls, domains: DomainMap, index: TermIndex, incoming: Incoming) -> HardState:
        """With the pods that are placed now, and later ones after each ``sync``."""
        pairs = PairCounts(domains), _matching_all(domains, incoming), _matching_each(domains, incoming)
        state = cls(index, incoming, pairs, live=True)
        state.sync(domains)
        return state

    def clone(self) -> HardState:
        """A copy for a dry run."""
        pairs = self.existing.clone(), self.affinity.clone(), self.anti_affinity.clone()
        return HardState(self._index, self.incoming, pairs, live=False)

    def sync(self, domains: DomainMap) -> None:
        """Follow the cluster, unless this is a dry run."""
        if not self.live:
            return
        self._index.sync()
        for terms in self._index.read[self._n_read :]:
            for key in keys_of(filter(self.incoming.is_meant_by, terms.anti_affinity)):
                if key not in self.existing.by_key:
                    self.existing.by_key[key] = _existing(domains, self._index, self.incoming, key)
        self._n_read = len(self._index.read)
        for pairs in (self.existing, self.affinity, self.anti_affinity):
            pairs.sync()

    def update(self, other: PodInfo, row: int, sign: int) -> None:
        """Account for ``other`` having come to (+1) or left (-1) the row."""
        terms, mine = self._index.of(other.cls), self.incoming.terms
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
    def has_own_terms(self) -> bool:
        """Whether the incoming pod has required terms."""
        return bool(self.incoming.terms.affinity or self.incoming.terms.anti_affinity)

    @property
    def is_first_of_its_kind(self) -> bool:
        """Whether no pod anywhere matches the affinity terms but the pod itself does: any labelled node will do."""
        return self.incoming.matches_itself and self.affinity.total == 0


def _existing(domains: DomainMap, index: TermIndex, incoming: Incoming, key: str) -> DomainSums:
    def weight_of(cls: PodClass) -> int:
        terms = index.of(cls)
        if terms is None:
            return 0
        return sum(term.topology_key == key and incoming.is_meant_by(term) for term in terms.anti_affinity)

    return domains.sums(key, incoming.name("existing", key), weight_of)


def _matching_all(domains: DomainMap, incoming: Incoming) -> PairCounts:
    terms = incoming.terms.affinity

    def weight_for(n_terms: int) -> WeightOf:
        return lambda cls: n_terms * matches_all(terms, cls.example)

    by_key: dict[str, Counts] = {}
    for key in keys_of(terms):
        n_terms = sum(term.topology_key == key for term in terms)
        by_key[key] = domains.sums(key, incoming.name("affinity", key), weight_for(n_terms))
    return PairCounts(domains, by_key)


def _matching_each(domains: DomainMap, incoming: Incoming) -> PairCounts:
    def weight_for(terms: Terms) -> WeightOf:
        return lambda cls: sum(term.matches(cls.labels, cls.namespace) for term in terms)

    by_key: dict[str, Counts] = {
        key: domains.sums(key, incoming.name("anti-affinity", key), weight_for(terms))
        for key, terms in incoming.anti_affinity_by_key.items()
    }
    return PairCounts(domains, by_key)


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
    """Verdicts of the rows: judged per domain, then gathered; None when all pass."""
    held = state.existing.held(), state.affinity.held(), state.anti_affinity.held()
    return _judged(rows, *held, first=state.is_first_of_its_kind, reasons=reasons)


Held = Iterable[tuple[Domains, Mask]]


def _judged(
    rows: Rows, existing: Held, affinity: Held, anti_affinity: Held, *, first: bool, reasons: ReasonTable
) -> Verdicts | None:
    rule = np.zeros(len(rows), dtype=np.uint8)  # index into _REFUSALS; written from the last rule to the first
    for domains, held in existing:
        rule[held.take(domains.at(rows))] = 3
    for domains, held in anti_affinity:
        rule[held.take(domains.at(rows))] = 2
    for domains, held in affinity:
        rule[domains.ids.take(rows) < 0 if first else ~held.take(domains.at(rows))] = 1
    if not rule.any():
        return None
    codes = np.array([status.code for status in _REFUSALS], dtype=np.uint8)
    texts = np.array([reasons.intern(status.reasons) for status in _REFUSALS], dtype=np.int32)
    return Verdicts(codes.take(rule), texts.take(rule))


def verdicts_since(
    state: HardState, order: Rows, domains: DomainMap, memory: Memory, reasons: ReasonTable
) -> tuple[Rows | None, Verdicts | None]:
    """As FilterPlugin.filter_since, where ``order`` are all rows."""
    known: _Answered | None = memory.value
    if known is None or not known.holds(state):
        memory.value = known = _Answered(state, domains)
        return None, known.judged(order, reasons)
    rows = known.update()
    return rows, known.judged(rows, reasons) if len(rows) else None


class _Answered:
    """What was last answered for all rows: for each rule and topology key the domains that hold matches."""

    def __init__(self, state: HardState, domains: DomainMap) -> None:
        self._state = state
        self._first = state.is_first_of_its_kind
        self._capacity = domains.cluster.table.capacity
        self._by_rule = [
            [_AnsweredDomains(domains.of(key), counts) for key, counts in pairs.by_key.items()]
            for pairs in (state.existing, state.affinity, state.anti_affinity)
        ]

    def holds(self, state: HardState) -> bool:
        """Whether nothing changed but the counts of the same keys."""
        return (
            state is self._state
            and len(state.existing.by_key) == len(self._by_rule[0])
            and state.is_first_of_its_kind == self._first
        )

    def update(self) -> Rows:
        """Bring the domains up to date; rows of those that hold matches now and did not, or the other way round."""
        flipped = [(answered.domains, answered.update()) for rule in self._by_rule for answered in rule]
        return rows_in(flipped, self._capacity)

    def judged(self, rows: Rows, reasons: ReasonTable) -> Verdicts | None:
        """Verdicts of the rows by the domains as they are here."""
        held = [[(answered.domains, answered.held) for answered in rule] for rule in self._by_rule]
        return _judged(rows, *held, first=self._first, reasons=reasons)


class _AnsweredDomains:
    """Which domains of one key hold matches, ``held`` as of PairCounts.held, as last answered."""

    def __init__(self, domains: Domains, counts: Counts) -> None:
        assert isinstance(counts, DomainSums)
        self.domains = domains
        self._sums = counts
        self.held = _held(counts)
        self._position = counts.n_changes

    def update(self) -> Collection[int]:
        """Bring ``held`` up to date; the domains that flipped, each once."""
        changed = self._sums.changed_since(self._position)
        self._position = self._sums.n_changes
        if changed is None or len(changed) > _FEW_CHANGES:
            before, self.held = self.held, _held(self._sums)
            flipped: list[int] = (before != self.held).nonzero()[0].tolist()
            return flipped
        return [domain for domain in dict.fromkeys(changed) if self._flips(domain)]

    def _flips(self, domain: int) -> bool:
        holds = domain < self.domains.n_values and self._sums.of(domain) > 0
        if self.held[domain] == holds:
            return False
        self.held[domain] = holds
        return True

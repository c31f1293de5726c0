"""Required terms of both sides: pairs of topology key and value with how many matches they hold."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from scheduler_core.columns.node_view import NodeView
from scheduler_core.columns.pods import PodClass, PodInfo
from scheduler_core.columns.tallies import Among, WeightOf
from scheduler_core.framework.contracts.status import SUCCESS, Status, unresolvable, unschedulable
from scheduler_core.framework.contracts.verdicts import ReasonTable, Rows, Verdicts
from scheduler_core.framework.topology.domains import Counts, DomainCounts, Domains, DomainSums
from scheduler_core.plugins.inter_pod_affinity.common import (
    DomainMap,
    Incoming,
    TermIndex,
    Terms,
    matches_all,
    selected_by,
    topology_keys,
)

REASON_AFFINITY = "node(s) didn't match pod affinity rules"
REASON_ANTI_AFFINITY = "node(s) didn't match pod anti-affinity rules"
REASON_EXISTING = "node(s) didn't satisfy existing pods anti-affinity rules"
_NO_AFFINITY = unresolvable(REASON_AFFINITY)
_ANTI_AFFINITY = unschedulable(REASON_ANTI_AFFINITY)
_EXISTING = unschedulable(REASON_EXISTING)
_REFUSALS = (SUCCESS, _NO_AFFINITY, _ANTI_AFFINITY, _EXISTING)
_CODES = np.array([status.code for status in _REFUSALS], dtype=np.uint8)
_TEXTS = tuple(status.reasons for status in _REFUSALS)

Mask = NDArray[np.bool_]


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
        return [(self._domains.of(key), held_by(counts)) for key, counts in self.by_key.items()]


def held_by(counts: Counts) -> Mask:
    held: Mask = counts.values() > 0
    held[-1] = False
    return held


class RequiredTermsState:
    """Placed pods' anti-affinity terms that mean the incoming pod (``existing``), placed pods that match all its
    affinity terms, and matches of its anti-affinity terms: of the cluster (``live``) as of ``sync``, or of a dry run.
    """

    __slots__ = ("_domains", "_index", "_n_read", "affinity", "anti_affinity", "existing", "incoming", "live")

    def __init__(
        self,
        domains: DomainMap,
        index: TermIndex,
        incoming: Incoming,
        pairs: tuple[PairCounts, PairCounts, PairCounts],
        *,
        live: bool,
    ) -> None:
        self._domains = domains
        self._index = index
        self._n_read = 0
        self.incoming = incoming
        self.existing, self.affinity, self.anti_affinity = pairs
        self.live = live

    @classmethod
    def of(cls, domains: DomainMap, index: TermIndex, incoming: Incoming) -> RequiredTermsState:
        """With the pods that are placed now, and later ones after each ``sync``."""
        pairs = PairCounts(domains), _matching_all(domains, incoming), _matching_each(domains, incoming)
        state = cls(domains, index, incoming, pairs, live=True)
        state.sync()
        return state

    def clone(self) -> RequiredTermsState:
        """A copy for a dry run."""
        self.sync()
        pairs = self.existing.clone(), self.affinity.clone(), self.anti_affinity.clone()
        return RequiredTermsState(self._domains, self._index, self.incoming, pairs, live=False)

    def sync(self) -> None:
        """Follow the cluster, unless this is a dry run."""
        if not self.live:
            return
        self._index.sync()
        if self._n_read < self._index.n_classes:
            self._read()
        for pairs in (self.existing, self.affinity, self.anti_affinity):
            pairs.sync()

    def _read(self) -> None:
        """Count the anti-affinity terms of new classes along the keys by which they may mean the incoming pod."""
        for cls in self._index.selecting(self.incoming.pod.labels, self._n_read):
            terms = self._index.of(cls)
            assert terms is not None
            for key in topology_keys(filter(self.incoming.is_selected_by, terms.anti_affinity)):
                if key not in self.existing.by_key:
                    self.existing.by_key[key] = _existing(self._domains, self._index, self.incoming, key)
        self._n_read = self._index.n_classes

    def update(self, other: PodInfo, row: int, sign: int) -> None:
        """Account for ``other`` having come to (+1) or left (-1) the row."""
        terms, mine = self._index.of(other.cls), self.incoming.terms
        for term in terms.anti_affinity if terms is not None else ():
            if self.incoming.is_selected_by(term):
                self.existing.add(term.topology_key, row, sign)
        if matches_all(mine.affinity, other.pod):
            for term in mine.affinity:
                self.affinity.add(term.topology_key, row, sign)
        for term in mine.anti_affinity:
            if term.matches(other.pod.labels, other.pod.namespace):
                self.anti_affinity.add(term.topology_key, row, sign)

    def versions(self) -> tuple[int, ...]:
        """How often the counts changed, of a state that follows the cluster."""
        pairs = (self.existing, self.affinity, self.anti_affinity)
        counts = [one for several in pairs for one in several.by_key.values()]
        return tuple(one.n_changes for one in counts if isinstance(one, DomainSums))

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
        return sum(term.topology_key == key and incoming.is_selected_by(term) for term in terms.anti_affinity)

    def among(first: int) -> Iterable[PodClass]:
        return index.selecting(incoming.pod.labels, first)

    return domains.sums(key, incoming.name("existing", key), weight_of, among)


def _matching_all(domains: DomainMap, incoming: Incoming) -> PairCounts:
    terms = incoming.terms.affinity

    def weight_for(n_terms: int) -> WeightOf:
        return lambda cls: n_terms * matches_all(terms, cls.example)

    def among(first: int) -> Iterable[PodClass]:
        return selected_by(terms[:1], domains.cluster.classes, first)

    by_key: dict[str, Counts] = {}
    for key in topology_keys(terms):
        n_terms = sum(term.topology_key == key for term in terms)
        by_key[key] = domains.sums(key, incoming.name("affinity", key), weight_for(n_terms), among)
    return PairCounts(domains, by_key)


def _matching_each(domains: DomainMap, incoming: Incoming) -> PairCounts:
    def weight_for(terms: Terms) -> WeightOf:
        return lambda cls: sum(term.matches(cls.labels, cls.namespace) for term in terms)

    def among_for(terms: Terms) -> Among:
        return lambda first: selected_by(terms, domains.cluster.classes, first)

    by_key: dict[str, Counts] = {
        key: domains.sums(key, incoming.name("anti-affinity", key), weight_for(terms), among_for(terms))
        for key, terms in incoming.anti_affinity_by_key.items()
    }
    return PairCounts(domains, by_key)


# --- verdicts ------------------------------------------------------------------------------------------------------
def verdict(state: RequiredTermsState, node: NodeView) -> Status:
    """The first of the three rules that the node breaks, or success."""
    state.sync()
    if not _satisfies_affinity(state, node):
        return _NO_AFFINITY
    if any(state.anti_affinity.on(t.topology_key, node.row) > 0 for t in state.incoming.terms.anti_affinity):
        return _ANTI_AFFINITY
    if any(state.existing.on(key, node.row) > 0 for key in state.existing.by_key):
        return _EXISTING
    return SUCCESS


def _satisfies_affinity(state: RequiredTermsState, node: NodeView) -> bool:
    terms = state.incoming.terms.affinity
    if any(term.topology_key not in node.node.labels for term in terms):
        return False
    return all(state.affinity.on(t.topology_key, node.row) > 0 for t in terms) or state.is_first_of_its_kind


def verdicts(state: RequiredTermsState, rows: Rows, reasons: ReasonTable) -> Verdicts | None:
    """Verdicts of the rows: judged per domain, then gathered; None when all pass."""
    state.sync()
    held = (state.affinity.held(), state.anti_affinity.held(), state.existing.held())
    return explained(rules_broken(rows, held, first=state.is_first_of_its_kind), reasons)


Held = Sequence[tuple[Domains, Mask]]
"""For each topology key its domains, and which hold matches."""


def rules_broken(rows: Rows, held: tuple[Held, Held, Held], *, first: bool) -> NDArray[np.uint8]:
    """uint8[len(rows)]: the first of the rules that a row breaks, an index into _REFUSALS.

    ``held`` by affinity, anti-affinity and placed pods' anti-affinity; ``first``: is_first_of_its_kind.
    """
    rules = np.zeros(len(rows), dtype=np.uint8)  # written from the last rule to the first
    for rule in (3, 2):
        for domains, holding in held[rule - 1]:
            rules[holding.take(domains.at(rows))] = rule
    for domains, holding in held[0]:
        rules[domains.ids.take(rows) < 0 if first else ~holding.take(domains.at(rows))] = 1
    return rules


def rule_broken(row: int, held: tuple[Held, Held, Held], *, first: bool) -> int:
    """The same for one row, which is cheaper while there are few."""
    for domains, holding in held[0]:
        domain = domains.index[row]
        if domain == domains.n_values if first else not holding[domain]:
            return 1
    for rule in (2, 3):
        if any(holding[domains.index[row]] for domains, holding in held[rule - 1]):
            return rule
    return 0


def explained(rules: NDArray[np.uint8], reasons: ReasonTable) -> Verdicts | None:
    """Verdicts from rules broken; None where all pass."""
    if not rules.any():
        return None
    return Verdicts(_CODES.take(rules), reasons.intern_all(_TEXTS).take(rules))

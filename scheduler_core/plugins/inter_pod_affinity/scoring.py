"""Preferred terms of both sides: the sum of weights that each domain attracts the pod with."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from scheduler_core.columns.node_view import NodeView
from scheduler_core.columns.pods import PodClass, PodClasses
from scheduler_core.framework.contracts.plugin import PluginCache
from scheduler_core.framework.contracts.verdicts import Rows, Scores, broadcast
from scheduler_core.framework.topology.domain_rows import rows_in
from scheduler_core.framework.topology.domains import DomainSums
from scheduler_core.plugins.inter_pod_affinity.common import (
    DomainMap,
    Incoming,
    PodTerms,
    Term,
    TermIndex,
    selected_by,
    topology_keys,
)


class Attraction:
    """What placed pods, by their terms and the incoming pod's, are worth in each domain, as of ``sync``.

    ``weights`` and how many terms match (``_matches``) by topology key, for keys of terms that can match at all.
    """

    def __init__(self, domains: DomainMap, index: TermIndex, incoming: Incoming, hard_weight: int) -> None:
        self._index = index
        self._n_read = 0
        self._incoming = incoming
        self._hard_weight = hard_weight
        self._matches: dict[str, DomainSums] = {}
        self.domains = domains
        self.weights: dict[str, DomainSums] = {}
        for key in topology_keys(incoming.terms.preferred):
            self._watch(key)
        self.sync()

    def sync(self) -> None:
        """Follow the cluster."""
        self._index.sync()
        if self._n_read < self._index.n_classes:
            self._read()
        for key, weights in self.weights.items():
            weights.sync()
            self._matches[key].sync()

    def _read(self) -> None:
        """Weigh the terms of new classes along the keys by which they may mean the incoming pod."""
        for cls in self._index.selecting(self._incoming.pod.labels, self._n_read):
            terms = self._index.of(cls)
            assert terms is not None
            for key in topology_keys(term for term in self._scoring(terms) if self._incoming.is_selected_by(term)):
                if key not in self.weights:
                    self._watch(key)
        self._n_read = self._index.n_classes

    @property
    def has_matches(self) -> bool:
        """Whether any term matches on a node that has its label, even if the weights cancel out."""
        return any(matches.labelled for matches in self._matches.values())

    def _scoring(self, terms: PodTerms) -> tuple[Term, ...]:
        return (*terms.affinity, *terms.preferred) if self._hard_weight > 0 else terms.preferred

    def _watch(self, key: str) -> None:
        incoming, classes = self._incoming, self.domains.cluster.classes
        pull = Pull(classes, self._index, incoming, key, self._hard_weight)
        touched, worth = (
            incoming.name("scores", key, f"{what}/{self._hard_weight}") for what in ("touched", "weights")
        )
        self._matches[key] = self.domains.sums(key, touched, pull.matches, pull.among)
        self.weights[key] = self.domains.sums(key, worth, pull.weight, pull.among)


class Pull:
    """How a placed pod of some class and the incoming pod attract each other along one topology key."""

    def __init__(
        self, classes: PodClasses, index: TermIndex, incoming: Incoming, topology_key: str, hard_weight: int
    ) -> None:
        self._classes = classes
        self._index = index
        self._incoming = incoming
        self._key = topology_key
        self._hard_weight = hard_weight

    def among(self, first: int) -> Iterable[PodClass]:
        """See tallies.Among."""
        preferred, pod = self._incoming.terms.preferred, self._incoming.pod
        yield from selected_by(preferred, self._classes, first)
        yield from self._index.selecting(pod.labels, first)

    def matches(self, cls: PodClass) -> int:
        """How many terms of either side match."""
        return len(self._weights(cls))

    def weight(self, cls: PodClass) -> int:
        """The sum of the weights of the terms that match."""
        return sum(self._weights(cls))

    def _weights(self, cls: PodClass) -> list[int]:
        incoming, key = self._incoming, self._key
        weights = [
            term.weight
            for term in incoming.terms.preferred
            if term.topology_key == key and term.matches(cls.labels, cls.namespace)
        ]
        theirs = self._index.of(cls)
        if theirs is None:
            return weights
        weights += [t.weight for t in theirs.preferred if t.topology_key == key and incoming.is_selected_by(t)]
        if self._hard_weight > 0:
            weights += [
                self._hard_weight for t in theirs.affinity if t.topology_key == key and incoming.is_selected_by(t)
            ]
        return weights


def raw_score(state: Attraction, node: NodeView) -> int:
    """The sum over topology keys of what the node's domain attracts with."""
    total = 0
    for key, weights in state.weights.items():
        domain = int(state.domains.of(key).ids[node.row])
        total += 0 if domain < 0 else weights.of(domain)
    return total


def raw_scores(state: Attraction, rows: Rows) -> Scores:
    """Raw scores int64[len(rows)]; may be negative."""
    total = np.zeros(len(rows), dtype=np.int64)
    for key, weights in state.weights.items():
        by_domain, index = weights.totals, state.domains.of(key).index
        if by_domain[-1]:  # reached by rows without the label, where no weight counts
            by_domain = by_domain.copy()
            by_domain[-1] = 0
        total += by_domain.take(index.take(rows))
    return total


def score_delta(state: Attraction, cache: PluginCache) -> tuple[Rows, Scores]:
    """As ScorePlugin.score_delta, for rows that are feasible and others."""
    last: _LastAffinityScores | None = cache.value
    rows = last.update() if last is not None and last.holds(state) else None
    if last is None or rows is None:
        cache.value = _LastAffinityScores(state)
        rows = state.domains.cluster.table.order
        return rows, raw_scores(state, rows)
    score = last.score_of_all
    return rows, raw_scores(state, rows) if score is None else broadcast(score, len(rows))


class _LastAffinityScores:
    """Up to which change of the weights was last answered."""

    def __init__(self, state: Attraction) -> None:
        self._state = state
        self._capacity = state.domains.cluster.table.capacity
        self._positions = {key: weights.n_changes for key, weights in state.weights.items()}
        self.score_of_all: int | None = None
        """The score of all rows of the last ``update``, where it is known that they have the same."""

    def holds(self, state: Attraction) -> bool:
        """Whether the keys are still the same."""
        return state is self._state and len(self._positions) == len(state.weights)

    def update(self) -> Rows | None:
        """The rows of domains whose weights changed since the last answer; None where that is not known."""
        moved = []
        for key, weights in self._state.weights.items():
            domains, changed = self._state.domains.of(key), weights.changed_since(self._positions[key])
            if changed is None:
                return None
            moved.append((domains, {domain for domain in changed if domain < domains.n_values}))
            self._positions[key] = weights.n_changes
        self.score_of_all = None
        if len(moved) == 1 and len(moved[0][1]) == 1:
            (weights,) = self._state.weights.values()
            (domain,) = moved[0][1]
            self.score_of_all = weights.of(domain)
        return rows_in(moved, self._capacity)

"""Soft constraints: the fewer matching pods in a node's domains, the better, small topologies weighing less."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import lru_cache
from math import frexp, sqrt

import numpy as np
from numpy.typing import NDArray

from scheduler_core.columns.cluster import Cluster
from scheduler_core.columns.node_table import NodeTable
from scheduler_core.columns.node_view import NodeView
from scheduler_core.compiled import kernel
from scheduler_core.compiled.interface import MOST_TOPOLOGIES
from scheduler_core.framework.contracts.normalizers import IGNORED
from scheduler_core.framework.contracts.plugin import PluginCache
from scheduler_core.framework.contracts.verdicts import Rows, Scores
from scheduler_core.framework.topology.domain_rows import rows_in
from scheduler_core.framework.topology.domains import Domains, DomainSums, Mask
from scheduler_core.plugins.pod_topology_spread.common import HOSTNAME, NodeSets, Participation

Floats = NDArray[np.float64]


class SoftSpread:
    """One soft constraint: pods by node (hostname) or by domain, and ``weight`` of the topology among scored rows.

    ``places`` are the domains, or for hostname the nodes, each with its number of pods in ``sums``.
    """

    __slots__ = ("_shift", "by_node", "part", "places", "sums", "weight")

    def __init__(self, part: Participation, sets: NodeSets, cluster: Cluster) -> None:
        key = part.constraint.topology_key
        self.part = part
        self.by_node = key == HOSTNAME
        self.places: Domains = sets.by_node(key) if self.by_node else part.nodes
        self.sums: DomainSums = part.pods_by_domain(cluster, self.places)
        self.weight = 0.0
        self._shift = float(part.constraint.max_skew - 1)

    def weigh(self, scored: Rows) -> None:
        """Take the size of the topology over these rows: feasible and not ignored."""
        size = len(scored) if self.by_node else _values_among(self.part, scored)
        self.weight = natural_log(size + 2)

    def terms(self) -> Floats:
        """What the constraint adds to the score by place, float64[n_values + 1]; 0 where the label is missing."""
        terms: Floats = np.multiply(self.sums.totals, self.weight, dtype=np.float64)
        terms += self._shift
        if self._blank is not None:
            terms[self._blank] = self.term_at(self._blank)
        terms[-1] = 0.0  # reached by rows without the label
        return terms

    def term_at(self, place: int) -> float:
        """The same for one place that is not the last."""
        return float(self._number_at(place)) * self.weight + self._shift

    def term(self, node: NodeView) -> float:
        """What the constraint adds to the score of one node."""
        if int(self.part.nodes.ids[node.row]) < 0:
            return 0.0
        return float(self.number(node)) * self.weight + self._shift

    def number(self, node: NodeView) -> int:
        """The pods that count in the node's domain, 0 where it lacks the label."""
        domain = int(self.part.nodes.ids[node.row])
        if domain < 0:
            return 0
        if self.by_node:
            return sum(self.part.counts_class(info.cls) for info in node.pods.values())
        return self._number_at(domain)

    def _number_at(self, place: int) -> int:
        return self.sums.of(place) + (self.sums.of(-1) if place == self._blank else 0)

    def moved(self, place: int) -> int | None:
        """The place whose term a change of the sum at ``place`` moves: pods on nodes that lack the label count with
        those of the empty value, if any node ever had it."""
        return self._blank if place == self.places.n_values else place

    @property
    def _blank(self) -> int | None:
        return None if self.by_node else self.part.blank


class SoftState:
    """The soft constraints of a pod, with counts and weights as of ``sync``.

    ``counted`` bool[capacity] marks the nodes that are not ignored (None: all).
    """

    __slots__ = ("_rows", "counted", "spreads", "table")

    def __init__(self, table: NodeTable, spreads: tuple[SoftSpread, ...], counted: Mask | None) -> None:
        self.table = table
        self.spreads = spreads
        self.counted = None if counted is None or counted[table.order].all() else counted
        self._rows: Rows | None = None

    def sync(self, rows: Rows) -> None:
        """Follow the cluster, and take the sizes of topologies over the feasible rows that are not ignored."""
        for spread in self.spreads:
            spread.sums.sync()
        if rows is self._rows:
            return
        self._rows = rows
        scored = rows if self.counted is None else rows[self.counted[rows]]
        for spread in self.spreads:
            spread.weigh(scored)


def raw_score(state: SoftState, node: NodeView) -> int:
    """Raw score of one node, IGNORED where it lacks a topology key that all must have."""
    if state.counted is not None and not state.counted[node.row]:
        return IGNORED
    total = 0.0
    for spread in state.spreads:
        total += spread.term(node)
    return int(_rounded(np.array([total]))[0])


def raw_scores(state: SoftState, rows: Rows) -> Scores:
    """Raw scores int64[len(rows)]."""
    return _summed(state, [spread.terms() for spread in state.spreads], rows)


def _summed(state: SoftState, terms: Sequence[Floats], rows: Rows) -> Scores:
    """Raw scores from the terms by place, added in the same order as by ``raw_score``."""
    compiled = kernel()
    if compiled is not None and len(state.spreads) <= MOST_TOPOLOGIES:
        found_scores = np.empty(len(rows), dtype=np.int64)
        pairs = tuple([(by_place, s.places.index) for s, by_place in zip(state.spreads, terms, strict=True)])
        compiled.sum_terms(pairs, rows, state.counted, IGNORED, found_scores)
        return found_scores
    total: Floats | None = None
    for spread, by_place in zip(state.spreads, terms, strict=True):
        spread_scores: Floats = by_place.take(spread.places.index.take(rows))
        total = spread_scores if total is None else np.add(total, spread_scores, out=total)
    assert total is not None, "a state without constraints is never asked"
    scores = _rounded(total)
    if state.counted is not None:
        scores[~state.counted.take(rows)] = IGNORED
    return scores


def score_delta(state: SoftState, cache: PluginCache) -> tuple[Rows, Scores]:
    """As ScorePlugin.score_delta, for rows that are feasible and others."""
    last: _LastSpreadScores | None = cache.value
    if last is None or not last.holds(state):
        last, rows = _LastSpreadScores(state), state.table.order
        cache.value = last
    else:
        rows = last.update()
    return rows, _summed(state, last.terms, rows)


class _LastSpreadScores:
    """What was last answered: the terms of each constraint by place, with their weights."""

    def __init__(self, state: SoftState) -> None:
        self.terms = [spread.terms() for spread in state.spreads]
        self._state = state
        self._weights = [spread.weight for spread in state.spreads]
        self._positions = [spread.sums.n_changes for spread in state.spreads]

    def holds(self, state: SoftState) -> bool:
        """Whether the weights are still the same, and it is known which places changed."""
        return (
            state is self._state
            and self._weights == [spread.weight for spread in state.spreads]
            and all(
                spread.sums.changed_since(position) is not None
                for spread, position in zip(state.spreads, self._positions, strict=True)
            )
        )

    def update(self) -> Rows:
        """Bring the terms up to date; the rows that have one that changed."""
        moved: list[tuple[Domains, Collection[int]]] = []
        for i, spread in enumerate(self._state.spreads):
            changed = spread.sums.changed_since(self._positions[i])
            assert changed is not None
            self._positions[i] = spread.sums.n_changes
            places = {place for place in map(spread.moved, changed) if place is not None}
            for place in places:
                self.terms[i][place] = spread.term_at(place)
            moved.append((spread.places, places))
        return rows_in(moved, self._state.table.capacity)


def _rounded(numbers: Floats) -> Scores:
    """Nearest whole numbers int64, halves up, as Go's math.Round for numbers that are not negative.

    Adding a half is exact enough here: below one half the only number is 0.
    """
    return (numbers + 0.5).astype(np.int64)


def _values_among(part: Participation, rows: Rows) -> int:
    """How many distinct values the rows have; a missing label counts as the empty value."""
    nodes = part.nodes
    seen = np.zeros(nodes.n_values + 1, dtype=bool)
    seen[nodes.index.take(rows)] = True
    if part.blank is not None:
        seen[part.blank] |= seen[-1]
        seen[-1] = False
    return int(np.count_nonzero(seen))


_LN2_HIGH, _LN2_LOW = 6.93147180369123816490e-01, 1.90821492927058770002e-10
_ODD = (6.666666666666735130e-01, 2.857142874366239149e-01, 1.818357216161805012e-01, 1.479819860511658591e-01)
_EVEN = (3.999999999940941908e-01, 2.222219843214978396e-01, 1.531383769920937332e-01)


@lru_cache(maxsize=65536)
def natural_log(number: int) -> float:
    """ln of a positive whole number by the FreeBSD algorithm that Go uses, so that no platform's libm decides.

    Source: FreeBSD msun e_log.c (public constants), as in Go's math.Log.
    """
    fraction, exponent = frexp(float(number))
    if fraction < sqrt(2.0) / 2.0:
        fraction, exponent = fraction * 2.0, exponent - 1
    f = fraction - 1.0
    s = f / (2.0 + f)
    z = s * s
    w = z * z
    odd = z * (_ODD[0] + w * (_ODD[1] + w * (_ODD[2] + w * _ODD[3])))
    even = w * (_EVEN[0] + w * (_EVEN[1] + w * _EVEN[2]))
    half = 0.5 * f * f
    return exponent * _LN2_HIGH - ((half - (s * (half + (odd + even)) + exponent * _LN2_LOW)) - f)

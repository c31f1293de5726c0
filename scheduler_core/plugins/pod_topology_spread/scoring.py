"""Soft constraints: the fewer matching pods in a node's domains, the better, small topologies weighing less."""

from __future__ import annotations

from functools import lru_cache
from math import frexp, sqrt

import numpy as np
from numpy.typing import NDArray

from scheduler_core.columns.cluster import Cluster
from scheduler_core.columns.node_view import NodeView
from scheduler_core.framework.interface import Rows, Scores
from scheduler_core.framework.normalize import IGNORED
from scheduler_core.framework.topology import Int64, Mask
from scheduler_core.plugins.pod_topology_spread.common import HOSTNAME, Participation

Floats = NDArray[np.float64]


class SoftSpread:
    """One soft constraint during a cycle: pods by row (hostname) or by domain, and the weight of the topology."""

    __slots__ = ("_shift", "by_row", "numbers", "part", "weight")

    def __init__(self, part: Participation, numbers: Int64, n_values: int) -> None:
        self.part = part
        self.by_row = part.constraint.topology_key == HOSTNAME
        self.numbers = numbers
        self.weight = natural_log(n_values + 2)
        self._shift = float(part.constraint.max_skew - 1)

    def terms(self) -> Floats:
        """What the constraint adds to the score of each row, float64[capacity]; 0 where the node lacks the label."""
        nodes = self.part.nodes
        terms: Floats = np.multiply(self.numbers, self.weight, dtype=np.float64)
        terms += self._shift
        if not self.by_row:
            terms[-1] = 0.0  # reached by rows without the label
            return terms.take(nodes.index)
        return np.where(nodes.ids < 0, 0.0, terms) if nodes.has_gaps else terms

    def term(self, node: NodeView) -> float:
        """What the constraint adds to the score of one node."""
        domain = int(self.part.nodes.ids[node.row])
        if domain < 0:
            return 0.0
        if self.by_row:
            number = sum(self.part.counts_class(info.cls) for info in node.pods.values())
        else:
            number = int(self.numbers[domain])
        return float(number) * self.weight + self._shift


class SoftState:
    """The soft constraints of a cycle; ``kept`` bool[capacity] marks the nodes that are not ignored (None: all)."""

    __slots__ = ("kept", "spreads")

    def __init__(self, spreads: tuple[SoftSpread, ...], kept: Mask | None) -> None:
        self.spreads = spreads
        self.kept = kept


def soft_state(parts: tuple[Participation, ...], kept: Mask | None, cluster: Cluster, rows: Rows) -> SoftState:
    """Counts and weights, where the size of a topology is taken over the feasible rows that are not ignored."""
    scored = rows if kept is None else rows[kept[rows]]
    spreads = []
    for part in parts:
        if part.constraint.topology_key == HOSTNAME:
            spreads.append(SoftSpread(part, part.pods_by_row(cluster), len(scored)))
        else:
            spreads.append(SoftSpread(part, _pods_by_value(part, cluster), _values_among(part, scored)))
    return SoftState(tuple(spreads), kept)


def _pods_by_value(part: Participation, cluster: Cluster) -> Int64:
    """Pods by domain, where nodes that lack the label count with those that have the empty value, if any."""
    numbers = part.pods_by_domain(cluster)
    if part.blank is not None:
        numbers[part.blank] += numbers[-1]
    return numbers


def raw_score(state: SoftState, node: NodeView) -> int:
    """Raw score of one node, IGNORED where it lacks a topology key that all must have."""
    if state.kept is not None and not state.kept[node.row]:
        return IGNORED
    total = 0.0
    for spread in state.spreads:
        total += spread.term(node)
    return int(_rounded(np.array([total]))[0])


def raw_scores(state: SoftState, rows: Rows) -> Scores:
    """Raw scores int64[len(rows)] in the same order of additions as ``raw_score``."""
    first, *others = state.spreads
    total = first.terms()
    for spread in others:
        total = total + spread.terms()
    scores = _rounded(total.take(rows))
    if state.kept is not None:
        scores[~state.kept.take(rows)] = IGNORED
    return scores


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

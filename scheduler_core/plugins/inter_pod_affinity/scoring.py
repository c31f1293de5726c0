"""Preferred terms of both sides: the sum of weights that each domain attracts the pod with."""

from __future__ import annotations

import numpy as np

from scheduler_core.columns.node_view import NodeView
from scheduler_core.columns.pods import PodClass
from scheduler_core.framework.interface import Rows, Scores
from scheduler_core.framework.topology import Int64
from scheduler_core.plugins.inter_pod_affinity.common import DomainMap, Incoming, TermIndex, keys_of

Attraction = dict[str, Int64]
"""Sum of weights by topology key and domain; keys that no match touched are left out."""


def attraction(domains: DomainMap, index: TermIndex, incoming: Incoming, hard_weight: int) -> Attraction:
    """What placed pods, by their terms and the incoming pod's, are worth in each domain; empty when none matches."""
    found: Attraction = {}
    for key in dict.fromkeys((*keys_of(incoming.terms.preferred), *index.scoring_keys)):
        pull = Pull(index, incoming, key, hard_weight)
        touched = incoming.name("scores", key, f"touched/{hard_weight}")
        if not domains.cluster.tally(touched, pull.matches).total:
            continue
        # a key counts as soon as one match has the label, even if the weights cancel out
        if domains.sums(key, touched, pull.matches).any():
            found[key] = domains.sums(key, incoming.name("scores", key, f"weights/{hard_weight}"), pull.weight)
    return found


class Pull:
    """How a placed pod of some class and the incoming pod attract each other along one topology key."""

    def __init__(self, index: TermIndex, incoming: Incoming, topology_key: str, hard_weight: int) -> None:
        self._index = index
        self._incoming = incoming
        self._key = topology_key
        self._hard_weight = hard_weight

    def matches(self, cls: PodClass) -> int:
        """How many terms of either side match."""
        return len(self._weights(cls))

    def weight(self, cls: PodClass) -> int:
        """The sum of the weights of the terms that match."""
        return sum(self._weights(cls))

    def _weights(self, cls: PodClass) -> list[int]:
        incoming, key = self._incoming, self._key
        found = [
            term.weight
            for term in incoming.terms.preferred
            if term.topology_key == key and term.matches(cls.labels, cls.namespace)
        ]
        theirs = self._index.of(cls)
        if theirs is None:
            return found
        found += [t.weight for t in theirs.preferred if t.topology_key == key and incoming.is_meant_by(t)]
        if self._hard_weight > 0:
            found += [self._hard_weight for t in theirs.affinity if t.topology_key == key and incoming.is_meant_by(t)]
        return found


def raw_score(state: Attraction, domains: DomainMap, node: NodeView) -> int:
    """The sum over topology keys of what the node's domain attracts with."""
    total = 0
    for key, weights in state.items():
        domain = int(domains.of(key).ids[node.row])
        total += 0 if domain < 0 else int(weights[domain])
    return total


def raw_scores(state: Attraction, domains: DomainMap, rows: Rows) -> Scores:
    """Raw scores int64[len(rows)]; may be negative."""
    total = np.zeros(len(rows), dtype=np.int64)
    for key, weights in state.items():
        # the appended zero is reached by rows without the label
        total += np.append(weights, 0).take(domains.of(key).index.take(rows))
    return total

"""The numbers behind the verdicts and scores of spread constraints."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from scheduler_core.columns.node_table import NodeTable
from scheduler_core.columns.node_view import NodeView
from scheduler_core.framework.contracts.facts import MOST_DOMAINS, DomainCount, SpreadFact, SpreadScoreFact
from scheduler_core.plugins.pod_topology_spread.filtering import HardSpread
from scheduler_core.plugins.pod_topology_spread.scoring import SoftSpread


def hard_fact(spread: HardSpread, node: NodeView, table: NodeTable) -> SpreadFact:
    """A hard constraint at the node, with the counts of its state as they are."""
    constraint, domain = spread.part.constraint, int(spread.part.nodes.ids[node.row])
    here = spread.counts.of(domain) if domain >= 0 else 0
    return SpreadFact(
        code=_code(spread, here, domain),
        topology_key=constraint.topology_key,
        selector=constraint.label_selector,
        max_skew=constraint.max_skew,
        domain=node.node.labels.get(constraint.topology_key),
        here=here,
        adds=spread.part.self_match,
        least=spread.least(),
        n_domains=len(_existing(spread)),
        min_domains=constraint.min_domains,
        counts=_counts(spread, domain, table),
        refuses=domain < 0 or here > spread.limit,
    )


def _code(spread: HardSpread, here: int, domain: int) -> str:
    """Which obstacle the constraint is: a missing label, too few domains (by which the least counts as 0 where there is
    more), or the skew."""
    if domain < 0:
        return "SPREAD_KEY_MISSING"
    constraint, existing = spread.part.constraint, _existing(spread)
    if constraint.min_domains is None or len(existing) >= constraint.min_domains or not len(existing):
        return "SPREAD_SKEW"
    least = int(spread.counts.values()[existing].min())
    fits_else = here + spread.part.self_match - least <= constraint.max_skew
    return "SPREAD_MIN_DOMAINS" if fits_else else "SPREAD_SKEW"


def _existing(spread: HardSpread) -> NDArray[np.intp]:
    """The domains that count; a node without the label is in none."""
    return spread.existing[spread.existing < spread.part.nodes.n_values]


def _counts(spread: HardSpread, own: int, table: NodeTable) -> tuple[DomainCount, ...]:
    """The domains with the fewest pods, by number and value, and the node's own."""
    values, existing = table.label(spread.part.constraint.topology_key).values, _existing(spread)
    if not len(existing):
        return ()
    numbers = spread.counts.values()[existing]
    most = np.partition(numbers, MOST_DOMAINS - 1)[MOST_DOMAINS - 1] if len(numbers) > MOST_DOMAINS else numbers.max()
    few = numbers <= most
    counts = sorted(zip(numbers[few].tolist(), (values[domain] for domain in existing[few].tolist()), strict=True))
    listed = counts[:MOST_DOMAINS]
    if own >= 0 and own in existing and (one := (spread.counts.of(own), values[own])) not in listed:
        listed.append(one)
    return tuple(DomainCount(value, pods) for pods, value in listed)


def soft_fact(spread: SoftSpread, node: NodeView, table: NodeTable) -> SpreadScoreFact:
    """A soft constraint at the node, with the counts and weights of the last PreScore."""
    constraint = spread.part.constraint
    return SpreadScoreFact(
        topology_key=constraint.topology_key,
        selector=constraint.label_selector,
        max_skew=constraint.max_skew,
        domain=node.node.labels.get(constraint.topology_key),
        here=spread.number(node),
        weight=spread.weight,
        term=spread.term(node),
    )

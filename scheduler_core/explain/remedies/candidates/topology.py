"""Changes for hard topology spread constraints and required anti-affinity: a larger skew, or pods that have to go."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from scheduler_core.api.labels import Labels
from scheduler_core.api.objects import Pod
from scheduler_core.engine.trials.changes import Changes
from scheduler_core.explain.remedies.candidates import pod_edits
from scheduler_core.explain.remedies.candidates.candidate import (
    RemedyCandidate,
    edit_candidates,
    leaving_words,
    of_state,
)
from scheduler_core.explain.remedies.candidates.state_edits import may_leave
from scheduler_core.explain.remedies.model import PODS_GONE, ProposedEdit
from scheduler_core.explain.remedies.situation import RemedySituation, Rows
from scheduler_core.framework.contracts.facts import SpreadFact
from scheduler_core.plugins.inter_pod_affinity.common import PodTerms, Term
from scheduler_core.profiles.names import SPREAD

DOMAINS = 6
NODES = 3
Domain = tuple[str, str]
"""A node label and its value."""


def of_spread(situation: RemedySituation, rows: Rows) -> Iterator[RemedyCandidate]:
    """For each domain among the rows the skew that it takes, and the pods of it that would have to go."""
    domains: dict[tuple[tuple[str, str | None], ...], list[int]] = {}
    keys = [one.topology_key for one in situation.pod.topology_spread_constraints]
    for row in rows.tolist():
        labels = situation.node(row).labels
        domains.setdefault(tuple((key, labels.get(key)) for key in keys), []).append(row)
    for several in list(domains.values())[:DOMAINS]:
        facts = [f for f in situation.refusing(SPREAD, several[0]) if isinstance(f, SpreadFact)]
        names = situation.names(several)
        yield from _skew_raised(situation, facts, names)
        if len(facts) == 1 and facts[0].domain is not None:
            yield from _pods_gone(situation, facts[0], names)


def _skew_raised(situation: RemedySituation, facts: list[SpreadFact], names: list[str]) -> Iterator[RemedyCandidate]:
    edits = []
    for fact in facts:
        position = constraint_position(fact, situation.pod)
        if position is None or fact.domain is None:
            return
        edits.append(pod_edits.raise_skew(situation.pod, position, fact.skew))
    yield from edit_candidates(situation.pod, edits, names)


def constraint_position(fact: SpreadFact, pod: Pod) -> int | None:
    """The position of the fact's constraint among those of the pod; None where it is a default of the profile."""
    asked = (fact.topology_key, fact.selector, fact.max_skew, "DoNotSchedule")
    for position, one in enumerate(pod.topology_spread_constraints):
        if asked == (one.topology_key, one.label_selector, one.max_skew, one.when_unsatisfiable):
            return position
    return None


def _pods_gone(situation: RemedySituation, fact: SpreadFact, names: list[str]) -> Iterator[RemedyCandidate]:
    """As many of the domain's matching pods as are too many, those of the lowest priority first."""
    cluster, pod = situation.cluster, situation.pod
    matching = []
    for key, name in cluster.placements.items():
        row, placed = cluster.table.row_of.get(name), cluster.pods[key].pod
        node = None if row is None else cluster.table.nodes[row]
        if node is None or node.labels.get(fact.topology_key) != fact.domain or placed.deletion_timestamp is not None:
            continue
        if not may_leave(pod, placed):
            continue
        if placed.namespace == pod.namespace and fact.selector is not None and fact.selector.matches(placed.labels):
            matching.append((placed.priority, key))
    going = tuple(key for _, key in sorted(matching)[: fact.skew - fact.max_skew])
    if len(going) == fact.skew - fact.max_skew:
        where = ", ".join(sorted({cluster.placements[key] for key in going}))
        edit = ProposedEdit(PODS_GONE, ", ".join(going), "there", "gone", where)
        yield of_state(edit, leaving_words(going, where), float(len(going)), Changes(gone=going), names)


def of_repelling(situation: RemedySituation, rows: Rows) -> Iterator[RemedyCandidate]:
    """Let all pods go that anti-affinity keeps apart from the pod, for the domains where these are fewest; they leave
    the nodes on which they are, which may be others of the domain."""
    by_domain = repelling(situation)
    opened: dict[tuple[str, ...], list[str]] = {}
    for row in rows.tolist():
        node = situation.node(row)
        keys = tuple(sorted({key for domain in node.labels.items() for key in by_domain.get(domain, ())}))
        if keys and all(may_leave(situation.pod, situation.cluster.pods[key].pod) for key in keys):
            opened.setdefault(keys, []).append(node.name)
    for keys, names in sorted(opened.items(), key=lambda item: (len(item[0]), -len(item[1]), item[0]))[:NODES]:
        where = ", ".join(sorted({situation.cluster.node_of(key) or "" for key in keys}))
        edit = ProposedEdit(PODS_GONE, ", ".join(keys), "there", "gone", where)
        # one pod of its kind counts as a constraint does: it has no amount
        yield of_state(edit, leaving_words(keys, where), float(len(keys)), Changes(gone=keys), names)


def repelling(situation: RemedySituation) -> dict[Domain, list[str]]:
    """Keys of placed pods by the domain from which a required anti-affinity keeps the pod."""
    cluster, pod = situation.trials.simulation.context.cluster, situation.pod
    own, keys_by_domain = PodTerms.of(pod).anti_affinity, defaultdict[Domain, list[str]](list)
    for key, name in cluster.placements.items():
        placed, row = cluster.pods[key].pod, cluster.table.row_of.get(name)
        node = None if row is None else cluster.table.nodes[row]
        if node is None or key == pod.key:
            continue
        terms = [term for term in own if _meant(situation, term, placed.labels, placed.namespace)]
        if placed.affinity is not None and placed.affinity.anti_required:
            theirs = PodTerms.of(placed).anti_affinity
            terms += [term for term in theirs if _meant(situation, term, pod.labels, pod.namespace)]
        for term in terms:
            if term.topology_key in node.labels:
                keys_by_domain[term.topology_key, node.labels[term.topology_key]].append(key)
    return keys_by_domain


def _meant(situation: RemedySituation, term: Term, labels: Labels, namespace: str) -> bool:
    namespace_object = situation.trials.simulation.context.cluster.listers.namespaces.get(namespace)
    return term.matches(labels, namespace, {} if namespace_object is None else namespace_object.labels)

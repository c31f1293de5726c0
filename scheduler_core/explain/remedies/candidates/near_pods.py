"""Pods that keep a pod off nodes by required anti-affinity, theirs or its own."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from scheduler_core.api.labels import Labels
from scheduler_core.engine.trials.changes import Changes
from scheduler_core.explain.remedies.candidates.candidate import RemedyCandidate, leaving_words, of_state
from scheduler_core.explain.remedies.candidates.state_edits import may_leave
from scheduler_core.explain.remedies.model import PODS_GONE, ProposedEdit
from scheduler_core.explain.remedies.situation import RemedySituation, Rows
from scheduler_core.plugins.inter_pod_affinity.common import PodTerms, Term

NODES = 3
Domain = tuple[str, str]
"""A node label and its value."""


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

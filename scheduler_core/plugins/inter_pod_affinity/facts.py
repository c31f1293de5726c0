"""The terms and pods behind the verdicts and scores of pod affinity."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from scheduler_core.columns.node_view import NodeView
from scheduler_core.columns.pods import PodInfo
from scheduler_core.framework.contracts.facts import MOST_NAMED, AttractionFact, Facts, PodTermFact
from scheduler_core.plugins.inter_pod_affinity.common import DomainMap, Term, TermIndex, matches_all
from scheduler_core.plugins.inter_pod_affinity.filtering import PairCounts, RequiredTermsState
from scheduler_core.plugins.inter_pod_affinity.scoring import Attraction

Counts = Callable[[PodInfo], bool]


class NamedPods:
    """Which pods count in a domain, kept while the counts of a state stay as they are: a zone has many nodes."""

    def __init__(self) -> None:
        self._of: tuple[object, ...] = ()
        self._pods: dict[tuple[object, ...], list[str]] = {}

    def get(self, state: RequiredTermsState, which: tuple[object, ...], find: Callable[[], list[str]]) -> list[str]:
        """The pods of a term in a domain (``which``), found where they are not known."""
        if not state.live:
            return find()
        if self._of != (current := (state, *state.versions())):
            self._of, self._pods = current, {}
        if which not in self._pods:
            self._pods[which] = find()
        return self._pods[which]


def term_facts(
    state: RequiredTermsState, index: TermIndex, domains: DomainMap, node: NodeView, named: NamedPods
) -> Facts:
    """All required terms that concern the pod, at the node's domains; the view's pods count, nominated ones too."""
    mine, first = state.incoming.terms, state.is_first_of_its_kind
    facts: list[PodTermFact] = []

    def there(pairs: PairCounts, term: object, key: str, counts: Counts) -> list[str]:
        if not pairs.on(key, node.row):
            return []
        which = (term, key, int(domains.of(key).ids[node.row]))
        return named.get(state, which, lambda: _pods_in_domain(key, domains, node, counts))

    for term in mine.affinity:
        every = "all terms"
        pods = there(state.affinity, every, term.topology_key, lambda info: matches_all(mine.affinity, info.pod))
        fact = _own_fact("affinity", term, node, pods)
        refuses = fact.domain is None or (not pods and not first)
        code = "AFFINITY_KEY_MISSING" if fact.domain is None else "AFFINITY_NO_POD"
        facts.append(msgspec.structs.replace(fact, first=first, refuses=refuses, code=code))
    for term in mine.anti_affinity:
        pods = there(state.anti_affinity, term, term.topology_key, _matched_by(term))
        facts.append(_own_fact("anti-affinity", term, node, pods))
    for key in state.existing.by_key:
        pods = there(state.existing, "existing", key, _opposing(state, index, key))
        if pods:
            facts.append(_fact("anti-affinity of placed pods", key, node, pods))
    return tuple(facts)


def attraction_facts(state: Attraction, node: NodeView) -> Facts:
    """The weights of each topology key in the node's domain."""
    facts = []
    for key, weights in state.weights.items():
        domain = int(state.domains.of(key).ids[node.row])
        points = 0 if domain < 0 else weights.of(domain)
        facts.append(AttractionFact(topology_key=key, domain=node.node.labels.get(key), points=points))
    return tuple(facts)


def _matched_by(term: Term) -> Counts:
    return lambda info: term.matches(info.pod.labels, info.pod.namespace)


def _opposing(state: RequiredTermsState, index: TermIndex, key: str) -> Counts:
    """Whether a placed pod has an anti-affinity term along the key that means the incoming pod."""

    def opposes(info: PodInfo) -> bool:
        terms = index.of(info.cls)
        theirs = terms.anti_affinity if terms is not None else ()
        return any(term.topology_key == key and state.incoming.is_selected_by(term) for term in theirs)

    return opposes


def _pods_in_domain(key: str, domains: DomainMap, node: NodeView, counts: Counts) -> list[str]:
    """Keys of the pods that count, on the nodes of the node's domain, sorted."""
    domains_of_key = domains.of(key)
    domain = int(domains_of_key.ids[node.row])
    if domain < 0:
        return []
    table, pod_keys = domains.cluster.table, list[str]()
    for row in domains_of_key.rows_in(domain).tolist():
        if table.alive[row]:
            pods = node.pods if row == node.row else domains.cluster.pods_on(row)
            pod_keys += [key for key, info in pods.items() if counts(info)]
    return sorted(pod_keys)


def _own_fact(kind: str, term: Term, node: NodeView, pods: list[str]) -> PodTermFact:
    """A term of the pod itself."""
    fact = _fact(kind, term.topology_key, node, pods)
    return msgspec.structs.replace(fact, selector=term.selector, namespaces=tuple(sorted(term.namespaces)))


def _fact(kind: str, key: str, node: NodeView, pods: list[str]) -> PodTermFact:
    """A term that refuses where it finds pods, as anti-affinity does."""
    domain, named = node.node.labels.get(key), tuple(pods[:MOST_NAMED])
    code = "ANTI_AFFINITY_OWN" if kind == "anti-affinity" else "ANTI_AFFINITY_OF_OTHERS"
    return PodTermFact(
        kind=kind, code=code, topology_key=key, domain=domain, pods=named, n_pods=len(pods), refuses=bool(pods)
    )

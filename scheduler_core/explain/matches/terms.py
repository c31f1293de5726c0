"""What the terms of a pod match: nodes by selectors and affinity, pods by affinity, domains by spread constraints."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence

from scheduler_core.api.labels import LabelSelector, NodeSelectorTerm
from scheduler_core.api.objects import ClusterObjects, Node, Pod, TopologySpreadConstraint
from scheduler_core.api.taints import Taint, Toleration
from scheduler_core.explain.matches.model import (
    DomainPods,
    Found,
    NodeTermMatches,
    PodTermMatches,
    RequiredMatches,
    SpreadMatches,
    TolerationMatches,
)
from scheduler_core.framework.plugin_helpers.node_selectors import FIELD_NAME, matches_required, same_pod
from scheduler_core.framework.topology.domains import REPELLING
from scheduler_core.plugins.inter_pod_affinity.common import Incoming, Term
from scheduler_core.plugins.pod_topology_spread.common import DO_NOT_SCHEDULE, HONOR, selects, topology_keys


def required_nodes(pod: Pod, nodes: Sequence[Node]) -> RequiredMatches:
    """nodeSelector and required node affinity, each part by itself and together."""
    selector = None
    if pod.node_selector:
        pairs = pod.node_selector.items()
        selector = _found(nodes, lambda node: all(node.labels.get(key) == value for key, value in pairs))
    required = pod.affinity.node_required if pod.affinity else None
    terms = tuple(_term(term, nodes) for term in required.terms) if required is not None else ()
    return RequiredMatches(selector, terms, _found(nodes, lambda node: matches_required(pod, node)))


def preferred_nodes(pod: Pod, nodes: Sequence[Node]) -> tuple[NodeTermMatches, ...]:
    """Each preferred term."""
    liked = pod.affinity.node_preferred if pod.affinity else ()
    return tuple(_term(one.preference, nodes, one.weight) for one in liked)


def _term(term: NodeSelectorTerm, nodes: Sequence[Node], weight: int = 0) -> NodeTermMatches:
    left, steps = list(nodes), []
    for requirement in term.match_expressions:
        left = [node for node in left if requirement.matches(node.labels)]
        steps.append(_names(left, len(nodes)))
    for requirement in term.match_fields:
        left = [node for node in left if requirement.matches({FIELD_NAME: node.name})]
        steps.append(_names(left, len(nodes)))
    return NodeTermMatches(tuple(steps), _found(nodes, lambda node: term.matches(node.name, node.labels)), weight)


def tolerated_nodes(pod: Pod, nodes: Sequence[Node]) -> TolerationMatches:
    """Nodes with taints that keep pods off, by what tolerates them."""
    tainted = [node for node in nodes if _repelling(node)]

    def is_let_in(node: Node) -> bool:
        return all(any(one.tolerates(taint) for one in pod.tolerations) for taint in _repelling(node))

    each = tuple(
        _names([node for node in tainted if _tolerates_any(one, node)], len(tainted)) for one in pod.tolerations
    )
    return TolerationMatches(each, _found(tainted, is_let_in), _found(nodes, is_let_in))


def _repelling(node: Node) -> list[Taint]:
    return [taint for taint in node.taints if taint.effect in REPELLING]


def _tolerates_any(toleration: Toleration, node: Node) -> bool:
    return any(toleration.tolerates(taint) for taint in _repelling(node))


def _found(nodes: Sequence[Node], matches: Callable[[Node], bool]) -> Found:
    return _names([node for node in nodes if matches(node)], len(nodes))


def _names(nodes: Iterable[Node], of: int) -> Found:
    return Found(tuple([node.name for node in nodes]), of)


AFFINITY, ANTI_AFFINITY = "affinity", "anti-affinity"


def selected_pods(selector: LabelSelector | None, namespace: str, pods: Sequence[Pod]) -> Found:
    """The namespace's pods that a selector means, of all in it; None matches nothing, an empty one everything."""
    inside = [pod for pod in pods if pod.namespace == namespace and not pod.is_terminal]
    matching = [pod.key for pod in inside if selector is not None and selector.matches(pod.labels)]
    return Found(tuple(matching), len(inside))


def pod_terms(pod: Pod, objects: ClusterObjects) -> tuple[PodTermMatches, ...]:
    """Required terms of affinity, then of anti-affinity, then preferred ones of both."""
    others = _others(pod, objects)
    terms = _incoming(pod, objects).terms
    out = [_matches(term, AFFINITY, 0, others, objects.nodes) for term in terms.affinity]
    out += [_matches(term, ANTI_AFFINITY, 0, others, objects.nodes) for term in terms.anti_affinity]
    for term in terms.preferred:
        kind = AFFINITY if term.weight > 0 else ANTI_AFFINITY
        out.append(_matches(term, kind, abs(term.weight), others, objects.nodes))
    return tuple(out)


def _matches(term: Term, kind: str, weight: int, pods: Sequence[Pod], nodes: Sequence[Node]) -> PodTermMatches:
    matching = [pod for pod in pods if term.matches(pod.labels, pod.namespace)]
    placed = [pod for pod in matching if pod.node_name]
    held = _domains(placed, term.topology_key, nodes)
    inside = [node.name for node in nodes if node.labels.get(term.topology_key) in held]
    return PodTermMatches(
        kind,
        weight,
        term.topology_key,
        Found(tuple([pod.key for pod in placed]), len(pods)),
        len(matching) - len(placed),
        Found(tuple(inside), len(nodes)),
        sum(term.topology_key not in node.labels for node in nodes),
    )


def _domains(pods: Iterable[Pod], topology_key: str, nodes: Sequence[Node]) -> set[str | None]:
    """The values of the key on the pods' nodes; never None, so that a node without the label is in none of them."""
    used = {pod.node_name for pod in pods}
    return {node.labels[topology_key] for node in nodes if node.name in used and topology_key in node.labels}


def _incoming(pod: Pod, objects: ClusterObjects) -> Incoming:
    return Incoming(pod, {namespace.name: namespace for namespace in objects.namespaces})


def _others(pod: Pod, objects: ClusterObjects) -> list[Pod]:
    return [one for one in objects.pods if not one.is_terminal and not same_pod(one, pod)]


def spread_domains(pod: Pod, objects: ClusterObjects) -> tuple[SpreadMatches, ...]:
    """Each of the pod's own constraints."""
    return tuple(_spread(pod, one, objects) for one in pod.topology_spread_constraints)


def _spread(pod: Pod, constraint: TopologySpreadConstraint, objects: ClusterObjects) -> SpreadMatches:
    participants = _participants(pod, constraint, objects.nodes)
    counted, by_domain = _counted(pod, constraint, participants, objects)
    least = _fewest(constraint, by_domain)
    is_hard = constraint.when_unsatisfiable == DO_NOT_SCHEDULE
    domains = tuple(
        DomainPods(value, number, not is_hard or _leaves_room(pod, constraint, number, least))
        for value, number in sorted(by_domain.items())
    )
    n_pods = sum(not one.is_terminal for one in objects.pods)
    return SpreadMatches(domains, Found(tuple(counted), n_pods), len(objects.nodes) - len(participants))


def _fewest(constraint: TopologySpreadConstraint, by_domain: Counter[str]) -> int:
    has_enough = len(by_domain) >= (constraint.min_domains or 1)
    return min(by_domain.values()) if has_enough else 0


def _leaves_room(pod: Pod, constraint: TopologySpreadConstraint, number: int, least: int) -> bool:
    return number + int(selects(constraint.label_selector, pod.labels)) - least <= constraint.max_skew


def _participants(pod: Pod, constraint: TopologySpreadConstraint, nodes: Sequence[Node]) -> list[Node]:
    """The nodes that have the keys of all constraints of the same action, and that the policies let in."""
    keys = topology_keys(_alike(pod, constraint.when_unsatisfiable))
    out = [node for node in nodes if all(key in node.labels for key in keys)]
    if constraint.node_affinity_policy == HONOR:
        out = [node for node in out if matches_required(pod, node)]
    if constraint.node_taints_policy == HONOR:
        tolerated = set(tolerated_nodes(pod, out).whole.names)
        out = [node for node in out if node.name in tolerated]
    return out


def _alike(pod: Pod, action: str) -> tuple[TopologySpreadConstraint, ...]:
    return tuple(one for one in pod.topology_spread_constraints if one.when_unsatisfiable == action)


def _counted(
    pod: Pod, constraint: TopologySpreadConstraint, participants: Sequence[Node], objects: ClusterObjects
) -> tuple[list[str], Counter[str]]:
    """The pods that count and their number by domain; an empty selector counts no pod (countPodsMatchSelector)."""
    domain_of = {node.name: node.labels[constraint.topology_key] for node in participants}
    by_domain = Counter(dict.fromkeys(domain_of.values(), 0))
    selector = constraint.label_selector
    if selector is None or not selector.requirements:
        return [], by_domain
    counted = []
    for one in objects.pods:
        is_counted = one.namespace == pod.namespace and one.deletion_timestamp is None and not one.is_terminal
        if is_counted and one.node_name in domain_of and selector.matches(one.labels) and not same_pod(one, pod):
            counted.append(one.key)
            by_domain[domain_of[one.node_name]] += 1
    return counted, by_domain

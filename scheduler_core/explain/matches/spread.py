"""Pods by domain of a pod's topology spread constraints, and the domains that may take one more."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from scheduler_core.api.objects import ClusterObjects, Node, Pod, TopologySpreadConstraint
from scheduler_core.explain.matches.model import DomainPods, Found, SpreadMatches
from scheduler_core.explain.matches.nodes import tolerated_nodes
from scheduler_core.framework.plugin_helpers.node_selectors import matches_required, same_pod
from scheduler_core.plugins.pod_topology_spread.common import DO_NOT_SCHEDULE, HONOR, selects, topology_keys


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

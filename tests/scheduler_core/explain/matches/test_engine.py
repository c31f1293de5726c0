"""Matches are the engine's: on generated clusters the nodes that a constraint leaves are those that would fit."""

from __future__ import annotations

import os
from collections import Counter

import msgspec
import pytest

from scheduler_core.api.objects import Affinity, ClusterObjects, Node, Pod, TopologySpreadConstraint
from scheduler_core.explain.fit import would_fit
from scheduler_core.explain.matches import (
    SpreadMatches,
    pod_terms,
    preferred_nodes,
    required_nodes,
    spread_domains,
    tolerated_nodes,
)
from scheduler_core.plugins.inter_pod_affinity.common import Incoming
from scheduler_core.testing.builders import make_pod
from tests.scheduler_core.explain.fit.pairs import pair
from tests.seeds import how_many

N_PAIRS = int(os.environ.get("TEST_MATCHES_PAIRS", how_many(100, 300)))
replace = msgspec.structs.replace


def _bare(node: Node, *, tainted: bool) -> Node:
    """The node with room for everything, so that nothing but the constraint can keep the pod off."""
    room = {**node.allocatable, "cpu": 10**9, "memory": 10**15, "pods": 10**6}
    taints = node.taints if tainted else ()
    return replace(node, taints=taints, unschedulable=False, allocatable=room)


def _cluster(objects: ClusterObjects, *, tainted: bool = False, with_pods: bool = True) -> ClusterObjects:
    nodes = [_bare(node, tainted=tainted) for node in objects.nodes]
    pods = [
        make_pod(one.name, namespace=one.namespace, labels=one.labels, node_name=one.node_name)
        for one in objects.pods
        if with_pods and one.node_name and not one.is_terminal
    ]
    return ClusterObjects(nodes=nodes, pods=pods, namespaces=objects.namespaces)


def _only(pod: Pod, **constraints: object) -> Pod:
    return replace(make_pod(pod.name, namespace=pod.namespace, labels=pod.labels), **constraints)


def _fits(objects: ClusterObjects, pod: Pod) -> set[str]:
    fit = would_fit(replace(objects, pods=[one for one in objects.pods if one.key != pod.key]), pod)
    assert fit.error == ""
    return {one.node for one in fit.each() if one.fits}


def _allowed_by_pods(pod: Pod, objects: ClusterObjects) -> set[str]:
    """The nodes that fulfil the pod's own required terms, from what each of them matches."""
    required = [one for one in pod_terms(pod, objects) if not one.weight]
    near = [one for one in required if one.kind == "affinity"]
    far = {name for one in required if one.kind == "anti-affinity" for name in one.nodes.names}
    liked = set.intersection(*[set(one.pods.names) for one in near]) if near else set()
    at = {one.node_name for one in objects.pods if one.key in liked}
    itself = Incoming(pod, {namespace.name: namespace for namespace in objects.namespaces}).matches_itself
    held = {
        key: {node.labels[key] for node in objects.nodes if node.name in at and key in node.labels}
        for key in (one.topology_key for one in near)
    }
    is_first = itself and not any(held.values())

    def is_near(node: Node) -> bool:
        return all(key in node.labels and (is_first or node.labels[key] in held[key]) for key in held)

    return {node.name for node in objects.nodes if is_near(node) and node.name not in far}


def _allowed_by_spread(pod: Pod, objects: ClusterObjects) -> set[str]:
    """The nodes that every DoNotSchedule constraint lets in, from what is said of its domains."""
    both = zip(pod.topology_spread_constraints, spread_domains(pod, objects), strict=True)
    hard = [(one, matches) for one, matches in both if one.when_unsatisfiable == "DoNotSchedule"]
    return {node.name for node in objects.nodes if all(_is_open(node, one, matches, pod) for one, matches in hard)}


def _is_open(node: Node, constraint: TopologySpreadConstraint, matches: SpreadMatches, pod: Pod) -> bool:
    domains = {one.value: one for one in matches.domains}
    value = node.labels.get(constraint.topology_key)
    if value is None or value in domains:
        return value is not None and domains[value].is_allowed
    # A domain in which no node takes part counts no pods.
    least = min(one.pods for one in matches.domains) if len(domains) >= (constraint.min_domains or 1) else 0
    selector = constraint.label_selector
    itself = selector is not None and selector.matches(pod.labels)
    return itself - least <= constraint.max_skew


def _compare(seed: int) -> Counter[str]:
    """Raises AssertionError where a builder's answer is not the engine's; how often each said something."""
    inputs, tried = pair(seed)
    objects = _cluster(inputs.objects)
    affinity = tried.affinity or Affinity()
    by_node = _only(
        tried, node_selector=tried.node_selector, affinity=replace(Affinity(), node_required=affinity.node_required)
    )
    required = required_nodes(by_node, objects.nodes)
    assert set(required.whole.names) == _fits(objects, by_node)

    tainted = _cluster(inputs.objects, tainted=True, with_pods=False)
    by_taint = _only(tried, tolerations=tried.tolerations)
    tolerated = tolerated_nodes(by_taint, tainted.nodes)
    assert set(tolerated.whole.names) == _fits(tainted, by_taint)

    terms = replace(Affinity(), pod_required=affinity.pod_required, anti_required=affinity.anti_required)
    by_pods = _only(tried, affinity=terms)
    assert _allowed_by_pods(by_pods, objects) == _fits(objects, by_pods)

    by_spread = replace(by_node, topology_spread_constraints=tried.topology_spread_constraints)
    inside = set(required.whole.names) & _allowed_by_spread(by_spread, objects)
    assert inside == _fits(objects, by_spread)
    return Counter(
        required=bool(required.terms or required.selector),
        tolerations=bool(tried.tolerations),
        terms=bool(terms.pod_required or terms.anti_required),
        spread=bool(tried.topology_spread_constraints),
    )


@pytest.mark.slow
def test_matches_are_the_engines_on_generated_pairs_of_pod_and_cluster():
    met: Counter[str] = Counter()
    for seed in range(N_PAIRS):
        met += _compare(seed)
    assert all(met[what] >= N_PAIRS // 12 for what in ("required", "tolerations", "terms", "spread")), met


def test_steps_and_parts_add_up_to_the_whole():
    for seed in range(10):
        inputs, tried = pair(seed)
        objects = inputs.objects
        required = required_nodes(tried, objects.nodes)
        for term in (*required.terms, *preferred_nodes(tried, objects.nodes)):
            sizes = [step.n for step in term.steps]
            assert sizes == sorted(sizes, reverse=True)
            assert not sizes or sizes[-1] == term.whole.n
        tolerated = tolerated_nodes(tried, objects.nodes)
        assert tolerated.let_in.of == objects.nodes.__len__() - (tolerated.whole.n - tolerated.let_in.n)
        for matches in pod_terms(tried, objects):
            assert matches.pods.n + matches.waiting <= len(objects.pods)
        for spread in spread_domains(tried, objects):
            assert sum(one.pods for one in spread.domains) == spread.pods.n

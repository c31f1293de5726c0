"""One refusal for each node, groups of them, and what each filter took."""

from __future__ import annotations

import msgspec

from scheduler_core.api.objects import ClusterObjects
from scheduler_core.explain.fit import would_fit
from scheduler_core.testing.builders import make_node, make_pod


def test_the_sieve_is_in_the_order_of_the_filters() -> None:
    nodes = [
        make_node("roomy", cpu="8"),
        make_node("small", cpu="1"),
        make_node("cordoned", cpu="8", unschedulable=True),
    ]
    fit = would_fit(ClusterObjects(nodes=nodes), make_pod("web", cpu="2"))
    took = [(step.plugin, step.took, step.left) for step in fit.sieve if step.took]
    assert took == [("NodeUnschedulable", 1, 2), ("NodeResourcesFit", 1, 1)]
    assert [(one.node, one.fits) for one in fit.each()] == [("roomy", True), ("small", False), ("cordoned", False)]
    assert {group.reasons for group in fit.groups} == {("node(s) were unschedulable",), ("Insufficient cpu",)}
    assert fit.failure == ""
    assert fit.best == ()


def test_a_node_that_is_promised_to_a_nominated_pod_says_so() -> None:
    waiting = msgspec.structs.replace(make_pod("first", cpu="6", priority=10), nominated_node_name="only")
    objects = ClusterObjects(nodes=[make_node("only", cpu="8"), make_node("small", cpu="1")], pods=[waiting])
    fit = would_fit(objects, make_pod("web", cpu="4"))
    assert [(group.plugin, group.reasons, group.nodes, group.promised) for group in fit.groups] == [
        ("NodeResourcesFit", ("Insufficient cpu",), 1, 1),
        ("NodeResourcesFit", ("Insufficient cpu",), 1, 0),
    ]
    assert [group.resolvable for group in fit.groups] == [True, False], "evicting does not make a node larger"
    assert would_fit(objects, waiting).n_fits == 1, "its own nomination does not count against it"

"""Nodes as columns: which ones a pod's selectors allow, and what they are called."""

from __future__ import annotations

import pytest

from scheduler_core.api.labels import NodeSelector, NodeSelectorTerm, Requirement
from scheduler_core.api.objects import Affinity, ClusterObjects
from scheduler_core.explain.outcomes.nodes import NodeColumns, node_choice
from scheduler_core.simulate import RunInputs
from scheduler_core.testing.builders import make_node, make_pod
from tests.scheduler_core.explain.outcomes.runs import tallied


def affinity(*requirements, **fields):
    term = NodeSelectorTerm(tuple(requirements), tuple(fields.get("fields", ())))
    return Affinity(node_required=NodeSelector((term,)))


@pytest.fixture
def columns():
    nodes = [make_node("a", labels={"model": "T4"}), make_node("b", labels={"model": "G2"}), make_node("c")]
    pods = [make_pod("x", "1", node_name="a")]
    return NodeColumns(tallied(RunInputs(objects=ClusterObjects(nodes=nodes, pods=pods)))[1])


@pytest.mark.parametrize(
    ("fields", "name", "allowed"),
    [
        ({}, "", [True, True, True]),
        ({"node_selector": {"model": "T4"}}, "T4", [True, False, False]),
        ({"affinity": affinity(Requirement("model", "In", ("T4", "G2")))}, "G2 or T4", [True, True, False]),
        ({"affinity": affinity(Requirement("model", "Exists"))}, "", [True, True, False]),
        ({"node_selector": {"model": "T4", "disk": "ssd"}}, "", [False, False, False]),
        ({"affinity": affinity(fields=[Requirement("metadata.name", "In", ("c",))])}, "", [False, False, True]),
    ],
)
def test_nodes_that_the_selectors_allow_and_their_name(columns, fields, name, allowed):
    where, mask = columns.allowed(make_pod("p", **fields))
    assert (where.name, mask.tolist()) == (name, allowed)


def test_a_pod_that_names_its_node_has_its_own():
    assert node_choice(make_pod("p", node_selector={"kubernetes.io/hostname": "a"})).is_own
    assert node_choice(make_pod("p", affinity=affinity(fields=[Requirement("metadata.name", "In", ("c",))]))).is_own
    assert not node_choice(make_pod("p", node_selector={"model": "T4"})).is_own


def test_free_is_what_requests_leave_and_balance_is_over_nodes_that_have_the_resource(columns):
    assert columns.free("cpu").tolist() == [3000, 4000, 4000]
    assert columns.fits([("cpu", 3500), ("pods", 1)]).tolist() == [False, True, True]
    assert columns.deviation("cpu") == pytest.approx(0.1178511)
    assert columns.deviation("example.com/gpu") == 0.0

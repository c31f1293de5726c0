"""One refusal for each node, groups of them, and what each filter took."""

from __future__ import annotations

import msgspec
import pytest

from scheduler_core.api.labels import NodeSelector, NodeSelectorTerm, Requirement
from scheduler_core.api.objects import Affinity, ClusterObjects
from scheduler_core.explain.fit import Fit, FitSession, SieveStep, would_fit
from scheduler_core.explain.fit.model import NOT_SCORED
from scheduler_core.profiles.registry import in_tree
from scheduler_core.simulate import RunInputs
from scheduler_core.testing.builders import make_node, make_pod
from tests.scheduler_core.engine.test_plugins_that_raise import Brittle, configuration


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


def test_nodes_that_pre_filter_leaves_out_are_the_first_step_and_say_so() -> None:
    nodes = [make_node(name, cpu="8") for name in ("here", "there", "elsewhere")]
    named = NodeSelectorTerm(match_fields=(Requirement("metadata.name", "In", ("here",)),))
    pod = make_pod("web", affinity=Affinity(node_required=NodeSelector((named,))))
    fit = would_fit(ClusterObjects(nodes=nodes), pod)
    assert fit.sieve[0] == SieveStep("NodeAffinity", took=2, left=1, by_pre_filter=True)
    assert {(step.took, step.left, step.by_pre_filter) for step in fit.sieve[1:]} == {(0, 1, False)}
    assert [(one.node, one.fits) for one in fit.each()] == [("here", True), ("there", False), ("elsewhere", False)]


def answer_while(point: str) -> Fit:
    """The answer for a pod at which a plugin fails at this point."""
    nodes = [make_node("a", cpu="8"), make_node("b", cpu="8")]
    inputs = RunInputs(objects=ClusterObjects(nodes=nodes), configuration=configuration())
    session = FitSession(inputs, in_tree().with_plugin("Brittle", Brittle))
    return session.would_fit(make_pod("web", labels={"break": point}))


def test_nodes_that_fit_are_known_where_only_scoring_failed() -> None:
    fit = answer_while("Score")
    assert (fit.n_fits, fit.best, fit.failure) == (2, (), "")
    assert "no Score for Score" in fit.error
    assert set(fit.totals) == {NOT_SCORED}


@pytest.mark.parametrize("point", ["PreFilter", "Filter"])
def test_without_verdicts_there_is_no_answer_but_the_error(point: str) -> None:
    fit = answer_while(point)
    assert (fit.nodes, fit.sieve, fit.groups) == ((), (), ())
    assert f"no {point} for {point}" in fit.error
    assert fit.failure == fit.error


def test_where_a_pod_is_scored_there_is_no_error_and_the_best_share_the_best_total() -> None:
    fit = answer_while("")
    assert (fit.error, fit.failure, fit.best) == ("", "", ("a", "b"))
    assert len(set(fit.totals)) == 1


def test_groups_begin_with_the_largest_and_are_then_in_the_order_of_the_filters() -> None:
    nodes = [
        *(make_node(f"small-{n}", cpu="1") for n in range(3)),
        make_node("tainted", cpu="8", taints=["k:NoSchedule"]),
        make_node("cordoned", cpu="8", unschedulable=True),
    ]
    fit = would_fit(ClusterObjects(nodes=nodes), make_pod("web", cpu="2"))
    assert [(group.plugin, group.nodes) for group in fit.groups] == [
        ("NodeResourcesFit", 3),
        ("NodeUnschedulable", 1),
        ("TaintToleration", 1),
    ]

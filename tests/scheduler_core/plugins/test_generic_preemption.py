"""Preemption of 2020. Expected values were computed by hand from seed 001; each test names the section."""

from __future__ import annotations

import pytest

from scheduler_core.api.labels import LabelSelector
from scheduler_core.api.objects import PodDisruptionBudget, Taint
from scheduler_core.framework.contracts.cycle_state import CycleState
from scheduler_core.framework.contracts.plugin import FilterPlugin, NoArgs
from scheduler_core.framework.contracts.run_context import RunContext
from scheduler_core.framework.contracts.status import SUCCESS, Code, unschedulable
from scheduler_core.framework.runtime.filter_phase import FilterPhase
from scheduler_core.framework.runtime.framework import Framework, PluginPoints
from scheduler_core.framework.runtime.pre_filter_phase import run_pre_filter
from scheduler_core.plugins.default_preemption import DefaultPreemption, DefaultPreemptionArgs
from scheduler_core.plugins.generic_preemption import GenericPreemption
from scheduler_core.plugins.node_resources.fit import NodeResourcesFit, NodeResourcesFitArgs
from scheduler_core.plugins.taint_toleration import TaintToleration
from scheduler_core.testing.builders import make_cluster, make_node, make_pod
from tests.scheduler_core.plugins.generated import app_is

HIGH = make_pod("high", cpu="2", priority=10)
GUARD = PodDisruptionBudget(name="guard", selector=app_is("web"), disruptions_allowed=0)


class RefusesAtFirst(FilterPlugin[NoArgs]):
    """Refuses all nodes in the search, and none when preemption tries them."""

    name, Args = "RefusesAtFirst", NoArgs
    searching = True

    def filter_node(self, state, pod, node):
        return unschedulable("not now") if self.searching else SUCCESS


def victim(name, priority=0, cpu="1", start=100.0, app="web", **fields):
    labels = {"app": app} if app else {}
    return make_pod(name, cpu=cpu, priority=priority, start_time=start, labels=labels, **fields)


def preempt(placed, pod=HIGH, nodes=None, objects=(), plugin_type=GenericPreemption, nominated=None):
    cluster = make_cluster(nodes or [make_node(name, cpu="2") for name in placed], placed, objects)
    context = RunContext(cluster, draw_smallest=True)
    by_node = {name: [cluster.info(p) for p in pods] for name, pods in (nominated or {}).items()}
    context.nominated_pods, context.nominated_nodes = (lambda name: by_node.get(name, [])), by_node.keys
    framework = Framework("test", context)
    fit = NodeResourcesFit(NodeResourcesFitArgs(), framework)
    taints = TaintToleration(NoArgs(), framework)
    moody = RefusesAtFirst(NoArgs(), framework)
    args = NoArgs() if plugin_type is GenericPreemption else DefaultPreemptionArgs()
    plugin = plugin_type(args, framework)
    points = PluginPoints(pre_filter=[fit], filter=[taints, fit, moody], post_filter=[plugin])
    framework.install({p.name: p for p in (taints, fit, moody, plugin)}, points)
    info, cycle = cluster.info(pod), CycleState(1)
    search = FilterPhase(framework)
    outcome = search.run(cycle, info, run_pre_filter(framework, cycle, info))
    moody.searching = False
    return plugin.post_filter(cycle, info, outcome)


CRITERIA = {
    "2.6.1 fewest violations": (
        {"a": [victim("a1", cpu="2")], "b": [victim("b1", priority=9, cpu="2", app="db")]}, "b", "fewest_violations"),
    "2.6.2 lowest highest priority": (
        {"a": [victim("a1", 5, "2", app="")], "b": [victim("b1", 4, app=""), victim("b2", 4, app="")]},
        "b", "lowest_highest_priority"),
    # 2.6.3 adds 2^31 per pod: one pod of 5 is less than pods of 5 and 1
    "2.6.3 lowest sum of priorities": (
        {"a": [victim("a1", 5, app=""), victim("a2", 1, app="")], "b": [victim("b1", 5, "2", app="")]},
        "b", "lowest_priority_sum"),
    # 0 + 2^31 is twice -2^30 + 2^31, so the sums are equal
    "2.6.4 fewest victims": (
        {"a": [victim("a1", 5, app=""), victim("a2", -(1 << 30), "500m", app=""),
               victim("a3", -(1 << 30), "500m", app="")],
         "b": [victim("b1", 5, app=""), victim("b2", 0, app="")]},
        "b", "fewest_victims"),
    "2.6.5 latest start": (
        {"a": [victim("a1", cpu="2", app="")], "b": [victim("b1", cpu="2", start=200.0, app="")]},
        "b", "latest_start"),
}  # fmt: skip


@pytest.mark.parametrize("case", CRITERIA)
def test_the_criteria_decide_in_order(case):
    placed, node, criterion = CRITERIA[case]
    decision = preempt(placed, objects=[GUARD]).decision
    assert (decision.nominated_node, decision.criterion) == (node, criterion)


def test_what_ties_in_all_five_criteria_is_drawn():
    same = {name: [victim(f"{name}1", cpu="2", app="")] for name in "ba"}
    decision = preempt(same).decision
    assert (decision.nominated_node, decision.criterion, decision.tied) == ("a", "draw", ("a", "b"))
    assert len(decision.steps) == 5


def test_victims_do_not_use_a_budget_up():
    """2.5.3: allowed 1 > 0, so neither of two victims violates; v1.34 counts the second."""
    budget = PodDisruptionBudget(name="one", selector=app_is("web"), disruptions_allowed=1)
    placed = {"a": [victim("a1"), victim("a2")]}
    assert preempt(placed, objects=[budget]).decision.candidates[0].violations == 0
    newer = preempt(placed, objects=[budget], plugin_type=DefaultPreemption)
    assert newer.decision.candidates[0].violations == 1


@pytest.mark.parametrize(
    ("app", "selector", "allowed", "violations"),
    [
        ("web", app_is("web"), 0, 1),
        ("web", app_is("web"), -1, 1),
        ("web", app_is("web"), 1, 0),
        ("", LabelSelector(), 0, 0),
        ("web", LabelSelector(), 0, 0),
        ("web", None, 0, 0),
        ("db", app_is("web"), 0, 0),
    ],
)
def test_what_a_budget_matches(app, selector, allowed, violations):
    """2.5.3: pods without labels, and nil or empty selectors, match nothing."""
    budget = PodDisruptionBudget(name="b", selector=selector, disruptions_allowed=allowed)
    decision = preempt({"a": [victim("a1", cpu="2", app=app)]}, objects=[budget]).decision
    assert decision.candidates[0].violations == violations


def test_a_budget_of_another_namespace_does_not_count():
    budget = PodDisruptionBudget(name="b", namespace="other", selector=app_is("web"), disruptions_allowed=0)
    assert preempt({"a": [victim("a1", cpu="2")]}, objects=[budget]).decision.candidates[0].violations == 0


def test_violating_pods_are_reprieved_first():
    """2.5.4: room for one of two: the guarded one stays although it is less important."""
    placed = {"a": [victim("guarded", 1), victim("free", 5, app="db"), victim("third", 9, app="db")]}
    decision = preempt(placed, make_pod("high", cpu="2", priority=10), [make_node("a", cpu="3")], [GUARD]).decision
    (candidate,) = decision.candidates
    assert candidate.reprieved == ("default/guarded",)
    assert candidate.victims == ("default/third", "default/free")
    assert candidate.violations == 0


def test_the_first_victim_stands_for_the_highest_priority():
    """2.6.2 reads Pods[0], and 2.5.4 lists violating victims first: 1 against 3; in order they would be 5 against 3."""
    placed = {
        "a": [victim("a-guarded", 1), victim("a-free", 5, app="db")],
        "b": [victim("b-guarded", 3), victim("b-free", 2, app="db")],
    }
    decision = preempt(placed, objects=[GUARD]).decision
    assert decision.candidates[0].victims == ("default/a-guarded", "default/a-free")
    assert (decision.nominated_node, decision.criterion) == ("a", "lowest_highest_priority")
    assert preempt(placed, objects=[GUARD], plugin_type=DefaultPreemption).decision.nominated_node == "b"


def test_a_node_without_victims_wins_at_once():
    """2.6.1: len(victims.Pods) == 0 returns the node before anything is compared."""
    placed = {"a": [victim("a1", cpu="2")], "b": []}
    decision = preempt(placed).decision
    assert (decision.nominated_node, decision.criterion) == ("b", "no_victims")
    assert [c.victims for c in decision.candidates] == [("default/a1",), ()]


def test_listed_errors_rule_a_node_out():
    """2.3: ErrTaintsTolerationsNotMatch is among the errors that nothing can resolve."""
    tainted = make_node("a", cpu="2", taints=("dedicated=gpu:NoSchedule",))
    result = preempt({"a": [victim("a1", cpu="2")]}, nodes=[tainted])
    assert result.status.code is Code.UNSCHEDULABLE
    assert result.decision.potential == 0
    assert result.nominated_node == ""  # 2.1: "we should clean-up any existing nominated node name"
    assert Taint("dedicated", "gpu") in tainted.taints


def test_where_no_examined_node_helps_the_nomination_stays():
    """2.1: a candidateNode that is nil returns nothing to clear."""
    result = preempt({"a": [victim("a1", priority=10, cpu="2")]})
    assert (result.nominated_node, result.decision.potential) == (None, 1)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"preemption_policy": "Never"}, "preemptionPolicy=Never"),
        ({"nominated_node_name": "a"}, "terminating pod on the nominated node"),
    ],
)
def test_who_may_not_preempt(fields, message):
    """2.2: PreemptNever, and a lower pod that is terminating on the nominated node, whoever deleted it."""
    placed = {"a": [victim("a1", cpu="2", deletion_timestamp=1.0)]}
    decision = preempt(placed, make_pod("high", cpu="2", priority=10, **fields)).decision
    assert not decision.eligible
    assert message in decision.message


def test_lower_nominations_on_the_node_are_cleared():
    """2.1: getLowerPriorityNominatedPods."""
    rival = make_pod("rival", cpu="100m", priority=5)
    decision = preempt({"a": [victim("a1", cpu="2")]}, nominated={"a": [rival]}).decision
    assert decision.cleared_nominations == ("default/rival",)

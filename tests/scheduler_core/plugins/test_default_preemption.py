"""DefaultPreemption: who may preempt, what is chosen by which criterion, and what is said when nothing helps."""

from __future__ import annotations

import msgspec
import pytest

from scheduler_core.api.objects import PodDisruptionBudget
from scheduler_core.framework.contracts.cycle_state import CycleState
from scheduler_core.framework.contracts.events import Hint
from scheduler_core.framework.contracts.plugin import NoArgs
from scheduler_core.framework.contracts.run_context import RunContext
from scheduler_core.framework.contracts.status import Code
from scheduler_core.framework.preemption.evaluator import CandidateLimits
from scheduler_core.framework.runtime.filter_phase import FilterPhase
from scheduler_core.framework.runtime.framework import Framework, PluginPoints
from scheduler_core.framework.runtime.pre_filter_phase import run_pre_filter
from scheduler_core.plugins.default_preemption import DefaultPreemption, DefaultPreemptionArgs
from scheduler_core.plugins.node_resources.fit import NodeResourcesFit
from scheduler_core.plugins.node_resources.fit_args import NodeResourcesFitArgs
from scheduler_core.plugins.taint_toleration import TaintToleration
from scheduler_core.testing.builders import make_cluster, make_node, make_pod
from tests.scheduler_core.plugins.generated import app_is


def victim(name, priority=0, cpu="1", start=100.0, **fields):
    return make_pod(name, cpu=cpu, priority=priority, start_time=start, labels={"app": "web"}, **fields)


def preempt(placed, pod=None, nodes=None, budgets=(), nominated=None, args=None):
    """PostFilter's result for a pod of priority 10 that wants 2 cpus on nodes of 2 cpus."""
    nodes = nodes or [make_node(name, cpu="2") for name in placed]
    cluster = make_cluster(nodes, placed, budgets)
    context = RunContext(cluster, draw_smallest=True)
    by_node = {name: [cluster.info(p) for p in pods] for name, pods in (nominated or {}).items()}
    context.nominated_pods, context.nominated_nodes = (lambda name: by_node.get(name, [])), by_node.keys
    framework = Framework("test", context)
    fit = NodeResourcesFit(NodeResourcesFitArgs(), framework)
    taints = TaintToleration(NoArgs(), framework)
    plugin = DefaultPreemption(args or DefaultPreemptionArgs(), framework)
    points = PluginPoints(pre_filter=[fit], filter=[taints, fit], post_filter=[plugin])
    framework.install({p.name: p for p in (taints, fit, plugin)}, points)
    info, cycle = cluster.info(pod or make_pod("high", cpu="2", priority=10)), CycleState(1)
    search = FilterPhase(framework)
    outcome = search.run(cycle, info, run_pre_filter(framework, cycle, info))
    assert not len(outcome.feasible), "a pod that fits does not preempt"
    return plugin.post_filter(cycle, info, outcome)


CHOICES = {
    "fewest budget violations come first": (
        {"a": [victim("a1", cpu="2", namespace="guarded")], "b": [victim("b1", priority=9, cpu="2")]},
        "b", "fewest_violations"),
    "then the lowest of the highest priorities": (
        {"a": [victim("a1", priority=5, cpu="2")], "b": [victim("b1", priority=4), victim("b2", priority=4)]},
        "b", "lowest_highest_priority"),
    "then the lowest sum of priorities, to which each pod adds 2^31": (
        {"a": [victim("a1", priority=5), victim("a2", priority=1)], "b": [victim("b1", priority=5, cpu="2")]},
        "b", "lowest_priority_sum"),
    "then the latest start among the highest": (
        {"a": [victim("a1", cpu="2", start=100.0)], "b": [victim("b1", cpu="2", start=200.0)]},
        "b", "latest_start"),
    "a pod that has not started is the latest": (
        {"a": [victim("a1", cpu="2", start=100.0)], "b": [victim("b1", cpu="2", start=None)]},
        "b", "latest_start"),
    "equal in all, the draw decides, here for the smallest name": (
        {"b": [victim("b1", cpu="2")], "a": [victim("a1", cpu="2")]}, "a", "draw"),
    "one candidate alone needs no criterion": ({"a": [victim("a1", cpu="2")]}, "a", "only"),
}  # fmt: skip


@pytest.mark.parametrize(("placed", "node", "criterion"), CHOICES.values(), ids=CHOICES.keys())
def test_the_choice(placed, node, criterion):
    guard = PodDisruptionBudget(name="g", namespace="guarded", selector=app_is("web"), disruptions_allowed=0)
    result = preempt(placed, budgets=[guard])
    assert result.status.is_success
    assert (result.nominated_node, result.decision.criterion) == (node, criterion)
    assert len(result.decision.candidates) == len(placed)
    if criterion not in ("only", "draw"):
        assert result.decision.steps[-1].criterion == criterion
        assert result.decision.tied == (node,)


def test_fewest_victims_decide_where_priorities_are_so_low_that_sums_tie():
    lowest = -(1 << 31)
    placed = {"a": [victim("a1", lowest), victim("a2", lowest)], "b": [victim("b1", lowest, cpu="2")]}
    result = preempt(placed)
    assert (result.nominated_node, result.decision.criterion) == ("b", "fewest_victims")


def test_the_more_important_pods_are_brought_back_first():
    placed = {"a": [victim("old", start=1.0), victim("young", start=2.0), victim("grand", priority=5, start=3.0)]}
    nodes = [make_node("a", cpu="3")]
    result = preempt(placed, nodes=nodes)
    (candidate,) = result.decision.candidates
    assert candidate.victims == ("default/old", "default/young")
    assert candidate.reprieved == ("default/grand",)


def test_pods_that_violate_a_budget_are_brought_back_before_more_important_ones():
    placed = {"a": [victim("guarded"), make_pod("free", cpu="1", priority=5, start_time=1.0)]}
    guard = PodDisruptionBudget(name="g", selector=app_is("web"), disruptions_allowed=0)
    result = preempt(placed, make_pod("high", cpu="1", priority=10), budgets=[guard])
    (candidate,) = result.decision.candidates
    assert (candidate.victims, candidate.reprieved, candidate.violations) == (
        ("default/free",),
        ("default/guarded",),
        0,
    )


HELPLESS = {
    "no pod is of lower priority": (
        {"a": [victim("a1", 10, cpu="2")]}, None,
        "preemption: 0/1 nodes are available: 1 No preemption victims found for incoming pod."),
    "not even without the lower ones is there room": (
        {"a": [victim("a1", 10), victim("a2")]}, None,
        "preemption: 0/1 nodes are available: 1 Insufficient cpu."),
    "the node could never take it": (
        {"a": [victim("a1", cpu="2")]}, [make_node("a", cpu="1")],
        "preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling."),
    "every node is counted, whatever its reason": (
        {"a": [victim("a1", 10, cpu="2")], "b": [], "c": [victim("c1", 10), victim("c2")]},
        [make_node("a", cpu="2"), make_node("b", taints=["x:NoSchedule"]), make_node("c", cpu="2")],
        "preemption: 0/3 nodes are available: 1 Insufficient cpu, 1 No preemption victims found for incoming pod, "
        "1 Preemption is not helpful for scheduling."),
}  # fmt: skip


@pytest.mark.parametrize(("placed", "nodes", "message"), HELPLESS.values(), ids=HELPLESS.keys())
def test_where_nothing_helps_the_nomination_is_cleared(placed, nodes, message):
    result = preempt(placed, nodes=nodes)
    assert result.status.code is Code.UNSCHEDULABLE
    assert (result.status.message, result.nominated_node) == (message, "")
    assert result.decision.eligible


NEVER = "not eligible due to preemptionPolicy=Never."  # in kube-scheduler's words


def test_a_policy_of_never_leaves_the_nomination():
    pod = make_pod("high", cpu="2", priority=10, preemption_policy="Never")
    result = preempt({"a": [victim("a1", cpu="2")]}, pod)
    assert result.status.message == f"preemption: {NEVER}"
    assert (result.nominated_node, result.decision.eligible) == (None, False)


LEAVING = victim("a1", cpu="2", deletion_timestamp=1.0, preempted=True)
NOMINATED = make_pod("high", cpu="2", priority=10, nominated_node_name="a")


@pytest.mark.parametrize(
    ("leaving", "eligible"),
    [(LEAVING, False), (msgspec.structs.replace(LEAVING, preempted=False), True)],
    ids=["preempted", "deleted by somebody else"],
)
def test_a_pod_waits_for_its_victims_to_leave(leaving, eligible):
    result = preempt({"a": [leaving]}, NOMINATED)
    assert result.decision.eligible is eligible
    if not eligible:
        text = "preemption: not eligible due to a terminating pod on the nominated node."
        assert (result.status.message, result.nominated_node) == (text, None)


def test_it_does_not_wait_where_the_nominated_node_became_impossible():
    nodes = [make_node("a", cpu="2", taints=["x:NoSchedule"]), make_node("b", cpu="2")]
    result = preempt({"a": [LEAVING], "b": [victim("b1", cpu="2")]}, NOMINATED, nodes=nodes)
    assert result.nominated_node == "b"


def test_nominations_of_lower_pods_on_the_chosen_node_are_cleared():
    nominated = {"a": [make_pod("low", cpu="1", priority=1), make_pod("equal", cpu="10m", priority=10)]}
    pod = make_pod("high", cpu="1500m", priority=10)
    result = preempt({"a": [victim("a1", cpu="2")]}, pod, nominated=nominated)
    assert result.decision.cleared_nominations == ("default/low",)


def test_nominated_pods_of_equal_priority_take_their_room():
    nominated = {"a": [make_pod("equal", cpu="1", priority=10)]}
    result = preempt({"a": [victim("a1", cpu="2")]}, nominated=nominated)
    assert result.status.message == "preemption: 0/1 nodes are available: 1 Insufficient cpu."


def test_the_search_ends_with_enough_candidates():
    placed = {f"n{i}": [victim(f"v{i}", cpu="2")] for i in range(5)}
    result = preempt(placed, args=DefaultPreemptionArgs(40, 1))
    assert [c.node for c in result.decision.candidates] == ["n0", "n1"]
    assert result.decision.potential == 5


@pytest.mark.parametrize(
    ("n_potential", "n_candidates"), [(5, 5), (100, 100), (999, 100), (1001, 100), (1500, 150)], ids=str
)
def test_candidates_wanted_by_default(n_potential, n_candidates):
    assert CandidateLimits().enough(n_potential) == n_candidates


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        ({"min_candidate_nodes_percentage": 101}, "minCandidateNodesPercentage: 101"),
        ({"min_candidate_nodes_absolute": -1}, "minCandidateNodesAbsolute: -1"),
        ({"min_candidate_nodes_percentage": 0, "min_candidate_nodes_absolute": 0}, "must not both be 0"),
    ],
    ids=["percentage", "absolute", "both"],
)
def test_bad_arguments_are_refused_by_name(raw, message):
    with pytest.raises(msgspec.ValidationError, match=message):
        msgspec.convert(raw, DefaultPreemptionArgs)


def test_pods_that_leave_never_wake_a_pod_on_its_own():
    plugin = DefaultPreemption(DefaultPreemptionArgs(), Framework("test", RunContext(make_cluster([]))))
    (event,) = plugin.events_to_register()
    assert event.hint(make_pod("high"), make_pod("gone"), None) is Hint.SKIP

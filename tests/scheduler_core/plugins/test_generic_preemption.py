"""Preemption of 2020. Expected values were computed by hand from seed 001; each test names the section."""

from __future__ import annotations

import pytest

from scheduler_core.api.objects import Affinity, ClusterObjects, PodAffinityTerm
from scheduler_core.api.taints import Taint
from scheduler_core.framework.contracts.status import Code
from scheduler_core.profiles.presets import find_preset
from scheduler_core.recording import events as ev
from scheduler_core.simulate import Policies, RunInputs, RunSession
from scheduler_core.testing.builders import make_node, make_pod
from tests.scheduler_core.framework.preemption.generic_cases import GUARD, preempt, victim
from tests.scheduler_core.plugins.generated import app_is

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


def run_older(nodes, pods):
    """Run pods on nodes with the preemption of 2020; return the preemptions and where the pods are at the end."""
    preset = find_preset("generic-preemption-2020")
    inputs = RunInputs(
        objects=ClusterObjects(nodes=nodes, pods=pods),
        configuration=preset.configuration(),
        policies=preset.applied_to(Policies()),
    )
    session, events = RunSession.start(inputs), []
    session.simulation.observers.append(events.append)
    session.advance()
    decided = [event for event in events if isinstance(event, ev.PreemptionDecided)]
    return decided, {key: pod.node_name for key, pod in session.simulation.world.pods.items()}


def test_a_pod_that_depends_on_the_victim_gets_no_node_by_evicting_it():
    """1.3: with its victim gone, the affinity for which the pod has to be on that node holds no more."""
    low = make_pod("low", cpu="2", uid="", node_name="a", phase="Running", start_time=1.0, labels={"app": "db"})
    near = PodAffinityTerm(topology_key="kubernetes.io/hostname", label_selector=app_is("db"))
    nodes = [make_node("a", cpu="2"), make_node("b", cpu="2")]
    alone = make_pod("high", cpu="2", priority=10, uid="", node_selector={"kubernetes.io/hostname": "a"})
    decided, _ = run_older(nodes, [low, alone])
    assert [one.nominated_node for one in decided] == ["a"]
    depends = make_pod("high", cpu="2", priority=10, uid="", affinity=Affinity(pod_required=(near,)))
    decided, placed = run_older(nodes, [low, depends])
    assert [one.n_candidates for one in decided] == [0]
    assert placed == {"default/low": "a", "default/high": ""}

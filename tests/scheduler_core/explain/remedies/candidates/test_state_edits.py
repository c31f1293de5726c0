"""Changes of nodes and of other pods that are proposed."""

from __future__ import annotations

from scheduler_core.api.labels import LabelSelector, Requirement
from scheduler_core.api.objects import (
    ClusterObjects,
    Container,
    ContainerPort,
    OwnerReference,
    PodDisruptionBudget,
    TopologySpreadConstraint,
)
from scheduler_core.explain.remedies.search import remedies
from scheduler_core.explain.sessions import at_cycle
from scheduler_core.simulate import RunInputs
from scheduler_core.testing.builders import make_node, make_pod
from tests.scheduler_core.crowded import recorded
from tests.scheduler_core.explain.remedies.proposed import changed, made_up, trials_of


def test_the_holder_of_a_port_would_have_to_go():
    ports = (ContainerPort(80, 8080),)
    holder = make_pod("x", containers=(Container("c", ports=ports),), node_name="a")
    pod = make_pod("p", containers=(Container("c", ports=ports),))
    departures = made_up([make_node("a")], [holder, pod], "pods gone")
    assert [changed(one) for one in departures] == [[("EVICT_POD", "default/x", "gone")]]


def test_the_fewest_pods_of_the_lowest_priority_would_have_to_go():
    on = [
        make_pod("small", cpu="500m", node_name="a"),
        make_pod("large", cpu="2", node_name="a"),
        make_pod("important", cpu="1500m", node_name="a", priority=10),
    ]
    pod = make_pod("p", cpu="2", priority=0, preemption_policy="Never")
    (one,) = made_up([make_node("a", cpu="4")], [*on, pod], "pods gone")
    assert changed(one) == [("EVICT_POD", "default/large", "gone")]


def owned_by(kind, name):
    return (OwnerReference(kind=kind, name=name, uid=f"uid-{name}", controller=True),)


def test_pods_that_would_come_back_or_wait_in_its_place_are_not_let_leave():
    """One of a DaemonSet, one of the node itself, and one of the pod's own workload."""
    on = [make_pod(kind, cpu="1", node_name="a", owner_references=owned_by(kind, name))
          for kind, name in (("DaemonSet", "agent"), ("Node", "a"), ("ReplicaSet", "web"))]  # fmt: skip
    pod = make_pod("p", cpu="2", owner_references=owned_by("ReplicaSet", "web"), preemption_policy="Never")
    node = make_node("a", cpu="4")
    assert made_up([node], [*on, pod], "pods gone") == []
    other = make_pod("other", cpu="1", node_name="a", owner_references=owned_by("ReplicaSet", "other"))
    departures = made_up([make_node("a", cpu="5")], [*on, other, pod], "pods gone")
    assert [changed(one) for one in departures] == [[("EVICT_POD", "default/other", "gone")]]


def test_a_priority_above_what_the_api_server_takes_is_not_proposed():
    on = [make_pod("critical", cpu="2", node_name="a", priority=2_000_001_000), make_pod("x", cpu="2", node_name="a")]
    proposed = made_up([make_node("a", cpu="4")], [*on, make_pod("p", cpu="2")], "priority")
    assert [changed(one) for one in proposed] == [[("RAISE_PRIORITY", "priority", "1")]]


def test_a_policy_alone_is_proposed_before_a_higher_priority():
    on = make_pod("x", cpu="4", node_name="a", priority=-1)
    pod = make_pod("p", cpu="2", preemption_policy="Never")
    first = remedies(*trials_of([make_node("a", cpu="4")], [on, pod])).verified[0]
    assert (first.code, first.victims) == ("ALLOW_PREEMPTION", ("default/x",))


def test_a_cordon_is_one_action_though_kubernetes_taints_the_node_for_it():
    cordoned = {"unschedulable": True, "taints": ["node.kubernetes.io/unschedulable:NoSchedule"]}
    (one,) = [one for one in remedies(*trials_of([make_node("n", **cordoned)], [make_pod("p")])).verified
              if one.code != "ADD_NODE_LIKE"]  # fmt: skip
    assert (one.code, one.size, one.node) == ("UNCORDON", 1.0, "n")
    assert [edit.code for edit in one.edits][:1] == ["UNCORDON"]


def test_among_two_hundred_nodes_the_cordon_of_the_only_one_that_else_fits_is_found():
    nodes = [
        make_node(f"n{i}", cpu="1", taints=[f"t{i % 11}:NoSchedule"] if i % 3 else [], unschedulable=i % 4 == 0)
        for i in range(199)
    ]
    cordoned = make_node("c", unschedulable=True, taints=["node.kubernetes.io/unschedulable:NoSchedule"])
    trials, key = trials_of([*nodes, cordoned], [make_pod("p", cpu="2")])
    assert ("UNCORDON", "c") in {(one.code, one.node) for one in remedies(trials, key).verified}


def test_a_budget_in_the_way_of_an_eviction_is_named():
    """Preemption would break it as a last choice, and an eviction is refused; the pods can still be deleted."""
    selector = LabelSelector((Requirement("app", "In", ("db",)),))
    budget = PodDisruptionBudget(name="db", selector=selector, disruptions_allowed=0)
    on = make_pod("x", cpu="4", labels={"app": "db"}, node_name="a", priority=5)
    objects = ClusterObjects(
        nodes=[make_node("a", cpu="4")], pods=[on, make_pod("p", cpu="2")], pod_disruption_budgets=[budget]
    )
    inputs = RunInputs(objects=objects)
    remedy_of_kind = {one.kind: one for one in remedies(at_cycle(recorded(inputs), inputs, 1), "default/p").verified}
    assert remedy_of_kind["pods gone"].budgets == ("default/db",)
    assert (remedy_of_kind["priority"].victims, remedy_of_kind["priority"].budgets) == (("default/x",), ("default/db",))
    assert remedy_of_kind["bigger node"].budgets == ()


def test_a_node_without_the_topology_key_is_given_a_value_of_other_nodes_and_that_is_assumed() -> None:
    nodes = [make_node("a", labels={"rack": "r1"}), make_node("b", cpu="8")]
    spread = TopologySpreadConstraint(
        max_skew=1, topology_key="rack", when_unsatisfiable="DoNotSchedule", label_selector=LabelSelector()
    )
    pod = make_pod("p", cpu="6", labels={"app": "web"}, topology_spread_constraints=(spread,))
    labelled = [one for one in remedies(*trials_of(nodes, [pod])).verified if one.code == "LABEL_NODE"]
    assert [(one.node, one.assumed) for one in labelled] == [("b", "b is in rack r1")]
    assert [(edit.object, edit.path) for edit in labelled[0].edits] == [("v1/Node//b", "/metadata/labels/rack")]


def test_a_priority_that_would_preempt_a_pod_of_the_same_workload_is_no_remedy() -> None:
    own = (OwnerReference("ReplicaSet", "web", "u1", controller=True),)
    on = make_pod("web-a", cpu="4", node_name="n", owner_references=own)
    trials, key = trials_of([make_node("n", cpu="4")], [on, make_pod("web-b", cpu="4", owner_references=own)])
    answer = remedies(trials, key)
    assert "RAISE_PRIORITY" not in {one.code for one in answer.verified}
    refused = next(one for one in answer.not_enough if one.code == "RAISE_PRIORITY")
    assert "default/web-a" in refused.failure

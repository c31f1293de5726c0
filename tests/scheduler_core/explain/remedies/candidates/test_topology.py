"""What would let a pod fit that a hard spread constraint keeps off, each expectation worked out by hand."""

from __future__ import annotations

from scheduler_core.api.labels import LabelSelector, Requirement
from scheduler_core.api.objects import ClusterObjects, TopologySpreadConstraint
from scheduler_core.explain.remedies.search import remedies
from scheduler_core.explain.sessions import at_cycle
from scheduler_core.simulate import RunInputs
from scheduler_core.testing.builders import make_node, make_pod
from tests.scheduler_core.crowded import pod_of, recorded
from tests.scheduler_core.explain.remedies.proposed import changed

ZONE = "topology.kubernetes.io/zone"
WEB = TopologySpreadConstraint(topology_key=ZONE, label_selector=LabelSelector((Requirement("app", "In", ("web",)),)))


def verified(*pods):
    """The nodes of zone b take pods that tolerate it only; zone a has two nodes."""
    nodes = [make_node("a1", labels={ZONE: "a"}), make_node("a2", labels={ZONE: "a"})]
    nodes.append(make_node("b1", labels={ZONE: "b"}, taints=["keep=out:NoSchedule"]))
    inputs = RunInputs(objects=ClusterObjects(nodes=nodes, pods=list(pods)))
    reader = recorded(inputs)
    trials, key = at_cycle(reader, inputs, 1), pod_of(reader, 1)
    assert not trials.attempt(key).is_scheduled
    return {changed(one)[0]: (one.size, one.node) for one in remedies(trials, key).verified}


def web(name, node_name="", **fields):
    return make_pod(name, labels={"app": "web"}, node_name=node_name, **fields)


def test_the_skew_is_raised_to_what_would_result_and_counts_by_the_new_value():
    on = [web("x", "a1"), web("y", "a2"), web("z", "a2")]
    proposals = verified(*on, web("p", topology_spread_constraints=(WEB,), preemption_policy="Never"))
    size, node = proposals["LOOSEN_SPREAD", ZONE, "maxSkew 4"]
    assert (size, node in ("a1", "a2")) == (0.75, True)
    assert proposals["LOOSEN_SPREAD", ZONE, "ScheduleAnyway"][0] == 1.0
    assert proposals["TOLERATE", "keep", "keep=out:NoSchedule"][1] == "b1"


def test_as_many_pods_of_the_domain_would_have_to_go_as_are_too_many():
    on = [
        web("x", "a1", priority=7),
        web("y", "a2", priority=1),
        web("z", "a2", priority=3),
        make_pod("o", node_name="a1"),
    ]
    proposals = verified(*on, web("p", topology_spread_constraints=(WEB,), preemption_policy="Never"))
    assert proposals["EVICT_POD", "default/y, default/z, default/x", "gone"][0] == 3.0
    assert not any("default/o" in subject for _, subject, _ in proposals)

"""Who keeps a pod away by anti-affinity, worked out by hand, and that it fits once they are gone."""

from __future__ import annotations

from scheduler_core.api.labels import LabelSelector, Requirement
from scheduler_core.api.objects import Affinity, ClusterObjects, PodAffinityTerm
from scheduler_core.explain.remedies.search import remedies
from scheduler_core.explain.sessions import at_cycle
from scheduler_core.simulate import RunInputs
from scheduler_core.testing.builders import make_node, make_pod
from tests.scheduler_core.crowded import pod_of, recorded

ZONE = "topology.kubernetes.io/zone"
APART = Affinity(
    anti_required=(PodAffinityTerm(ZONE, LabelSelector((Requirement("app", "In", ("web",)),))),),
)


def gone(pods):
    nodes = [make_node(name, labels={ZONE: zone}) for name, zone in (("a1", "a"), ("a2", "a"), ("b1", "b"))]
    inputs = RunInputs(objects=ClusterObjects(nodes=nodes, pods=pods))
    reader = recorded(inputs)
    answer = remedies(at_cycle(reader, inputs, 1), pod_of(reader, 1))
    return [(one.edits[0].subject, one.node) for one in answer.verified if one.code == "EVICT_POD"]


def test_pods_that_want_no_such_neighbour_in_the_zone_would_have_to_go():
    on = [make_pod(f"x{i}", affinity=APART, node_name=node) for i, node in enumerate(("a1", "a2", "b1"))]
    departures = gone([*on, make_pod("p", labels={"app": "web"})])
    assert departures[0] == ("default/x2", "b1")
    assert [pods for pods, _ in departures[1:]] == ["default/x0, default/x1"], "one change, named once"


def test_pods_that_the_pod_itself_avoids_would_have_to_go():
    on = [make_pod(f"x{i}", labels={"app": "web"}, node_name=node) for i, node in enumerate(("a1", "a2", "b1"))]
    assert gone([*on, make_pod("p", affinity=APART)])[0] == ("default/x2", "b1")


def test_pods_of_other_namespaces_are_not_meant():
    on = [make_pod("x", labels={"app": "web"}, node_name="a1", namespace="other")]
    taken = [make_pod(f"y{i}", labels={"app": "web"}, node_name=node) for i, node in enumerate(("a1", "b1"))]
    departures = gone([*on, *taken, make_pod("p", affinity=APART)])
    assert not any("other/x" in one for one, _ in departures)
    assert ("default/y1", "b1") in departures

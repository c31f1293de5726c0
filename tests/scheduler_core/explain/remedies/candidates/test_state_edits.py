"""Changes of nodes and of other pods that are proposed."""

from __future__ import annotations

from scheduler_core.api.labels import LabelSelector, Requirement
from scheduler_core.api.objects import ClusterObjects, Container, ContainerPort, PodDisruptionBudget
from scheduler_core.explain.remedies.search import remedies
from scheduler_core.explain.sessions import at_cycle
from scheduler_core.simulate import RunInputs
from scheduler_core.testing.builders import make_node, make_pod
from tests.scheduler_core.crowded import recorded
from tests.scheduler_core.explain.remedies.proposed import made_up


def test_the_holder_of_a_port_would_have_to_go():
    ports = (ContainerPort(80, 8080),)
    holder = make_pod("x", containers=(Container("c", ports=ports),), node_name="a")
    pod = make_pod("p", containers=(Container("c", ports=ports),))
    departures = made_up([make_node("a")], [holder, pod], "pods gone")
    assert [text for text, _, _ in departures] == ["Let default/x leave a"]


def test_the_fewest_pods_of_the_lowest_priority_would_have_to_go():
    on = [
        make_pod("small", cpu="500m", node_name="a"),
        make_pod("large", cpu="2", node_name="a"),
        make_pod("important", cpu="1500m", node_name="a", priority=10),
    ]
    pod = make_pod("p", cpu="2", priority=0, preemption_policy="Never")
    assert [text for text, _, _ in made_up([make_node("a", cpu="4")], [*on, pod], "pods gone")] == [
        "Let default/large leave a"
    ]


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

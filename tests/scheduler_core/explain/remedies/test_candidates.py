"""What is made up for small clusters, each expectation worked out by hand."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from scheduler_core.api.labels import LabelSelector, NodeSelector, NodeSelectorTerm, Requirement
from scheduler_core.api.objects import Affinity, ClusterObjects, Container, ContainerPort, PodDisruptionBudget
from scheduler_core.engine.trials.changes import Changes
from scheduler_core.explain.remedies.candidates import candidates
from scheduler_core.explain.remedies.edits import asking_for
from scheduler_core.explain.remedies.search import remedies
from scheduler_core.explain.sessions import at_cycle
from scheduler_core.manifests import load_cluster
from scheduler_core.manifests.model import ManifestSource
from scheduler_core.simulate import RunInputs, timeline_from_raw
from scheduler_core.testing.builders import make_node, make_pod
from tests.scheduler_core.crowded import pod_of, recorded

MILLI = "alibabacloud.com/gpu-milli"
CASES = Path(__file__).parents[3] / "cases"


def trials_of(nodes, pods, cycle=1):
    inputs = RunInputs(objects=ClusterObjects(nodes=nodes, pods=pods))
    reader = recorded(inputs)
    return at_cycle(reader, inputs, cycle), pod_of(reader, cycle)


def made_up(nodes, pods, kind):
    trials, key = trials_of(nodes, pods)
    found = candidates(trials, trials.attempt(key))
    return [(one.remedy.text, one.remedy.size, one.remedy.nodes) for one in found if one.remedy.kind == kind]


def test_a_request_is_lowered_to_what_is_free_and_counts_by_the_size_of_the_node():
    nodes = [make_node("a", cpu="4"), make_node("b", cpu="8")]
    on = [make_pod("x", cpu="3", node_name="a"), make_pod("y", cpu="6", node_name="b")]
    found = made_up(nodes, [*on, make_pod("p", cpu="3")], "request")
    assert found == [
        ("Ask for 2 cpu instead of 3", 0.125, ("b",)),
        ("Ask for 1 cpu instead of 3", 0.25, ("a", "b")),
    ]


def test_the_highest_request_that_fits_somewhere_comes_first():
    """One GPU of 1,000 parts with 120 free, two of them with 60: 120 is asked for first, and 121 fits nowhere."""
    nodes = [make_node("t4-1", extended={MILLI: "1000"}), make_node("t4-2", extended={MILLI: "2000"})]
    on = [gpu_pod("x", 880, node_name="t4-1"), gpu_pod("y", 1940, node_name="t4-2")]
    trials, key = trials_of(nodes, [*on, gpu_pod("p", 1000, preemption_policy="Never")])
    found = [one for one in remedies(trials, key).verified if one.kind == "request"]
    assert [(one.text, one.size, one.n_fit) for one in found] == [
        ("Ask for 120 gpu-milli instead of 1,000", 0.44, 1),
        ("Ask for 60 gpu-milli instead of 1,000", 0.47, 2),
    ]
    assert not trials.attempt(key, Changes(pod=asking_for(trials.pod(key), MILLI, 121))).is_scheduled


def gpu_pod(name, milli, **fields):
    return make_pod(name, containers=(Container("c", requests={MILLI: milli}),), **fields)


def test_one_more_value_of_the_node_affinity_counts_less_than_its_end():
    models = NodeSelector((NodeSelectorTerm((Requirement("gpu", "In", ("T4",)),)),))
    nodes = [make_node("g1", labels={"gpu": "G2"}), make_node("g2", labels={"gpu": "G2"}), make_node("none")]
    trials, key = trials_of(nodes, [make_pod("p", affinity=Affinity(node_required=models))])
    found = {one.text: (one.size, one.n_fit) for one in remedies(trials, key).verified if one.kind == "selector"}
    assert found == {
        "Let it go to nodes with gpu=G2 too": (0.5, 2),
        "Drop the required node affinity": (1.0, 3),
    }


def test_equal_nodes_are_one_line_with_their_count():
    nodes = [make_node(f"n{i}", labels={"disk": "hdd"}) for i in range(5)]
    pod = make_pod("p", cpu="1", node_selector={"disk": "ssd"})
    trials, key = trials_of(nodes, [pod])
    found = remedies(trials, key)
    assert [(one.text, one.n_nodes, one.n_fit) for one in found.verified] == [
        ("Let it go to nodes with disk=hdd too", 5, 5),
        ("Drop disk=ssd from the node selector", 5, 5),
        ("Label a node disk=ssd", 5, 1),
    ]


def test_the_holder_of_a_port_would_have_to_go():
    ports = (ContainerPort(80, 8080),)
    holder = make_pod("x", containers=(Container("c", ports=ports),), node_name="a")
    pod = make_pod("p", containers=(Container("c", ports=ports),))
    found = made_up([make_node("a")], [holder, pod], "pods gone")
    assert [text for text, _, _ in found] == ["Let default/x leave a"]


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
    found = {one.kind: one for one in remedies(at_cycle(recorded(inputs), inputs, 1), "default/p").verified}
    assert found["pods gone"].budgets == ("default/db",)
    assert (found["priority"].victims, found["priority"].budgets) == (("default/x",), ("default/db",))
    assert found["bigger node"].budgets == ()


@pytest.fixture(scope="module")
def promised():
    """The run in which node a is promised to hi (3 cpu), then mid (2 cpu) and huge (5 cpu) are tried."""
    text = (CASES / "nominated.yaml").read_text()
    objects = load_cluster([ManifestSource("nominated.yaml", text.encode())]).objects
    timeline = timeline_from_raw(yaml.safe_load((CASES / "nominated-timeline.yaml").read_text()))
    inputs = RunInputs(objects=objects, schedule="timeline", timeline=timeline)
    return recorded(inputs), inputs


def test_nominated_pods_are_counted_in(promised):
    reader, inputs = promised
    trials = at_cycle(reader, inputs, 2)
    found = remedies(trials, pod_of(reader, 2))
    assert not any(one.node == "a" and one.kind == "request" for one in found.verified)
    gone = next(one for one in found.verified if one.kind == "pods gone" and one.nodes == ("a",))
    assert "default/hi" in gone.edits[0].subject or gone.edits[0].subject.count("default/low") == 4
    bigger = next(one for one in found.verified if one.kind == "bigger node" and one.nodes == ("a",))
    assert bigger.edits[0].after == "5 cpu"  # 2 asked for, 4 held, 3 promised, of 4


def test_what_is_missing_is_ranked_by_the_size_of_the_node(promised):
    reader, inputs = promised
    found = remedies(at_cycle(reader, inputs, 3), pod_of(reader, 3))
    assert [one.nodes[0] for one in found.verified if one.kind == "bigger node"] == ["a", "b", "aaa-tiny"]

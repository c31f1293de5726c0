"""Changes of a pod that are proposed."""

from __future__ import annotations

from scheduler_core.api.labels import NodeSelector, NodeSelectorTerm, Requirement
from scheduler_core.api.objects import Affinity, Container
from scheduler_core.engine.trials.changes import Changes
from scheduler_core.explain.edited_objects import asking_for
from scheduler_core.explain.remedies.search import remedies
from scheduler_core.testing.builders import make_node, make_pod
from tests.scheduler_core.explain.remedies.proposed import changed, made_up, trials_of

MILLI = "alibabacloud.com/gpu-milli"


def test_a_request_is_lowered_to_what_is_free_and_counts_by_the_size_of_the_node():
    nodes = [make_node("a", cpu="4"), make_node("b", cpu="8")]
    on = [make_pod("x", cpu="3", node_name="a"), make_pod("y", cpu="6", node_name="b")]
    requests = made_up(nodes, [*on, make_pod("p", cpu="3")], "request")
    assert [(one.edits[0].after, one.size, one.nodes) for one in requests] == [
        ("2", 0.125, ("b",)),
        ("1", 0.25, ("a", "b")),
    ]


def test_the_highest_request_that_fits_somewhere_comes_first():
    """One GPU of 1,000 parts with 120 free, two of them with 60: 120 is asked for first, and 121 fits nowhere."""
    nodes = [make_node("t4-1", extended={MILLI: "1000"}), make_node("t4-2", extended={MILLI: "2000"})]
    on = [gpu_pod("x", 880, node_name="t4-1"), gpu_pod("y", 1940, node_name="t4-2")]
    trials, key = trials_of(nodes, [*on, gpu_pod("p", 1000, preemption_policy="Never")])
    requests = [one for one in remedies(trials, key).verified if one.kind == "request"]
    assert [(one.edits[0].after, one.size, one.n_fit) for one in requests] == [("120", 0.44, 1), ("60", 0.47, 2)]
    assert not trials.attempt(key, Changes(pod=asking_for(trials.pod(key), MILLI, 121))).is_scheduled


def test_one_toleration_is_enough_for_both_effects_of_a_taint():
    node = make_node("n", taints=["sick=yes:NoSchedule", "sick=yes:NoExecute", "old:NoSchedule"])
    trials, key = trials_of([node], [make_pod("p")])
    (one,) = [one for one in remedies(trials, key).verified if one.kind == "toleration"]
    assert changed(one) == [
        ("TOLERATE", "sick", "sick=yes (every effect)"),
        ("TOLERATE", "old", "old:NoSchedule"),
    ]


def gpu_pod(name, milli, **fields):
    return make_pod(name, containers=(Container("c", requests={MILLI: milli}),), **fields)


def test_one_more_value_of_the_node_affinity_counts_less_than_its_end():
    models = NodeSelector((NodeSelectorTerm((Requirement("gpu", "In", ("T4",)),)),))
    nodes = [make_node("g1", labels={"gpu": "G2"}), make_node("g2", labels={"gpu": "G2"}), make_node("none")]
    trials, key = trials_of(nodes, [make_pod("p", affinity=Affinity(node_required=models))])
    selectors = {one.edits[0].after: (one.size, one.n_fit) for one in remedies(trials, key).verified}
    assert selectors == {"T4, G2": (0.5, 2), "": (1.0, 3)}

"""Changes of a pod that are proposed."""

from __future__ import annotations

from scheduler_core.api.labels import NodeSelector, NodeSelectorTerm, Requirement
from scheduler_core.api.objects import Affinity, Container
from scheduler_core.engine.trials.changes import Changes
from scheduler_core.explain.edited_objects import asking_for
from scheduler_core.explain.remedies.search import remedies
from scheduler_core.testing.builders import make_node, make_pod
from tests.scheduler_core.explain.remedies.proposed import made_up, trials_of

MILLI = "alibabacloud.com/gpu-milli"


def test_a_request_is_lowered_to_what_is_free_and_counts_by_the_size_of_the_node():
    nodes = [make_node("a", cpu="4"), make_node("b", cpu="8")]
    on = [make_pod("x", cpu="3", node_name="a"), make_pod("y", cpu="6", node_name="b")]
    requests = made_up(nodes, [*on, make_pod("p", cpu="3")], "request")
    assert requests == [
        ("Ask for 2 cpu instead of 3", 0.125, ("b",)),
        ("Ask for 1 cpu instead of 3", 0.25, ("a", "b")),
    ]


def test_the_highest_request_that_fits_somewhere_comes_first():
    """One GPU of 1,000 parts with 120 free, two of them with 60: 120 is asked for first, and 121 fits nowhere."""
    nodes = [make_node("t4-1", extended={MILLI: "1000"}), make_node("t4-2", extended={MILLI: "2000"})]
    on = [gpu_pod("x", 880, node_name="t4-1"), gpu_pod("y", 1940, node_name="t4-2")]
    trials, key = trials_of(nodes, [*on, gpu_pod("p", 1000, preemption_policy="Never")])
    requests = [one for one in remedies(trials, key).verified if one.kind == "request"]
    assert [(one.text, one.size, one.n_fit) for one in requests] == [
        ("Ask for 120 gpu-milli instead of 1,000", 0.44, 1),
        ("Ask for 60 gpu-milli instead of 1,000", 0.47, 2),
    ]
    assert not trials.attempt(key, Changes(pod=asking_for(trials.pod(key), MILLI, 121))).is_scheduled


def test_one_toleration_is_enough_for_both_effects_of_a_taint():
    node = make_node("n", taints=["sick=yes:NoSchedule", "sick=yes:NoExecute", "old:NoSchedule"])
    trials, key = trials_of([node], [make_pod("p")])
    (one,) = [one for one in remedies(trials, key).verified if one.kind == "toleration"]
    assert one.text == "Tolerate sick=yes (every effect) and tolerate old:NoSchedule"
    assert [edit.subject for edit in one.edits][:2] == ["sick", "old"]


def gpu_pod(name, milli, **fields):
    return make_pod(name, containers=(Container("c", requests={MILLI: milli}),), **fields)


def test_one_more_value_of_the_node_affinity_counts_less_than_its_end():
    models = NodeSelector((NodeSelectorTerm((Requirement("gpu", "In", ("T4",)),)),))
    nodes = [make_node("g1", labels={"gpu": "G2"}), make_node("g2", labels={"gpu": "G2"}), make_node("none")]
    trials, key = trials_of(nodes, [make_pod("p", affinity=Affinity(node_required=models))])
    selectors = {one.text: (one.size, one.n_fit) for one in remedies(trials, key).verified if one.kind == "selector"}
    assert selectors == {
        "Let it go to nodes with gpu=G2 too": (0.5, 2),
        "Drop the required node affinity": (1.0, 3),
    }

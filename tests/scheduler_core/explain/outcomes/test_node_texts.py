"""What is said of pods that nodes refuse: a resource that is short, small nodes, other plugins' reasons."""

from __future__ import annotations

from scheduler_core.explain.outcomes import (
    PENDING,
)
from scheduler_core.testing.builders import make_node, make_pod
from tests.scheduler_core.explain.outcomes.runs import group_of, said, summed_up
from tests.scheduler_core.explain.outcomes.summed_runs import GPU, asking, gpu_node, inputs_of


def test_the_short_resource_is_told_with_its_share_where_the_selector_allows_and_who_else_has_room():
    nodes = [gpu_node("t-0", "T4"), gpu_node("t-1", "T4"), gpu_node("g-0", "G2")]
    held = [asking(f"held-{i}", "4", node_name=f"t-{i}") for i in range(2)]
    pods = [asking(f"train-{i}", node_selector={"model": "T4"}) for i in range(3)]
    outcomes = summed_up(inputs_of(nodes, [*held, *pods]))
    group = group_of(outcomes, "default/train-0")
    assert (group.kind, group.n_pods, group.plugins[0]) == (PENDING, 3, "NodeResourcesFit")
    assert group.title == "No T4 node has enough gpu free"
    assert said(group) == (
        "2 of 2 T4 nodes had too little, at most 0 of 4 gpu free. They ask 1 gpu each. "
        "1 G2 node has room; model=T4 excludes it."
    )
    assert (group.scarce.resource, group.scarce.where) == (GPU, "T4")
    assert (group.scarce.requested, group.scarce.allocatable) == (8, 8)
    nearest = next(pod.nearest for pod in outcomes.pods if pod.pod == "default/train-0")
    assert (nearest.resource, nearest.missing, nearest.nodes) == (GPU, 1, 2)


def test_resources_that_are_short_on_different_nodes_are_both_named():
    nodes = [gpu_node("a", "P", cpu="2"), gpu_node("b", "P"), gpu_node("c", "P")]
    held = [make_pod("cpu", "2", node_name="a"), *(asking(f"gpu-{n}", "4", node_name=n) for n in "bc")]
    group = group_of(summed_up(inputs_of(nodes, [*held, asking("train-0")])), "default/train-0")
    assert group.title == "The nodes: gpu or cpu is short"
    assert said(group) == "Of 3 nodes, 2 lack gpu and the other 1 cpu."


def test_a_pod_that_takes_a_whole_node_is_told_that_none_is_empty():
    nodes = [gpu_node("a", "P"), gpu_node("b", "P")]
    held = [make_pod(f"held-{n}", "100m", extended={GPU: "1"}, node_name=n) for n in "ab"]
    group = group_of(summed_up(inputs_of(nodes, [*held, asking("all-0", "4", "16")])), "default/all-0")
    assert group.title == "No node is empty, and each pod takes a whole one"
    assert "2 of 2 nodes hold at least one pod" in said(group)


def test_refusals_of_other_plugins_are_told_by_their_reasons():
    nodes = [make_node("a", taints=["dedicated=gpu:NoSchedule"]), make_node("b", taints=["dedicated=gpu:NoSchedule"])]
    pods = [make_pod("web-0"), make_pod("lost-0", node_selector={"disk": "ssd"})]
    outcomes = summed_up(inputs_of(nodes, pods))
    taints, labels = group_of(outcomes, "default/web-0"), group_of(outcomes, "default/lost-0")
    assert (taints.title, taints.plugins) == ("A taint that is not tolerated", ("TaintToleration",))
    assert said(taints) == "2 of 2: node(s) had untolerated taint(s). They have dedicated=gpu:NoSchedule (2)."
    assert labels.title == "No node has the labels that they ask for"
    assert said(labels).startswith("0 of 2 nodes match disk=ssd.")

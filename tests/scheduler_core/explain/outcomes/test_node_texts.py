"""What is said of pods that nodes refuse: a resource that is short, small nodes, other plugins' reasons."""

from __future__ import annotations

import pytest

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
    assert (group.scarce.resource, group.scarce.where) == (GPU, "T4")
    assert (group.scarce.requested, group.scarce.allocatable) == (8, 8)
    nearest = next(pod.nearest for pod in outcomes.pods if pod.pod == "default/train-0")
    assert (nearest.resource, nearest.missing, nearest.nodes) == (GPU, 1, 2)


TAINTED = [make_node(name, taints=["dedicated=gpu:NoSchedule"]) for name in "ab"]
MODELS = [gpu_node("t-0", "T4"), gpu_node("t-1", "T4"), gpu_node("g-0", "G2")]
PAIR = [gpu_node("a", "P"), gpu_node("b", "P")]
ON_ONE = [make_node("a", "10"), make_node("b", "10"), make_node("c", "10")]


def holding(name, node, gpus="4"):
    return asking(name, gpus, node_name=node)


@pytest.mark.parametrize(
    ("nodes", "held", "pod", "title", "evidence"),
    [
        (MODELS, [holding("x", "t-0"), holding("y", "t-1")], asking("p", node_selector={"model": "T4"}),
         "No T4 node has enough gpu free",
         "2 of 2 T4 nodes had too little, at most 0 of 4 gpu free. It asks 1 gpu. 1 G2 node has room; model=T4 "
         "excludes it."),
        ([gpu_node("a", "P", cpu="2"), *PAIR[1:], gpu_node("c", "P")],
         [make_pod("cpu", "2", node_name="a"), holding("x", "b"), holding("y", "c")], asking("p"),
         "The nodes: gpu or cpu is short", "Of 3 nodes, 2 lack gpu and the other 1 cpu."),
        (PAIR, [make_pod(f"x-{n}", "100m", extended={GPU: "1"}, node_name=n) for n in "ab"], asking("p", "4", "16"),
         "No node is empty, and each pod takes a whole one",
         "Each asks at least 16 cpu and 4 gpu. 2 of 2 nodes hold at least one pod."),
        (PAIR, [holding("x", "a", "3"), holding("y", "b", "3")], asking("p", "8"), "Larger than any node",
         "p asks 8 gpu, the largest has 4. Waiting does not help."),
        (ON_ONE, [make_pod("x", "5", node_name="a")],
         make_pod("p", "9", node_selector={"kubernetes.io/hostname": "a"}),
         "The one node that each may have lacks cpu",
         "1 of 1 nodes had too little, at most 5 of 10 cpu free. It asks 9 cpu. 2 other nodes have room; "
         "kubernetes.io/hostname=a excludes them."),
        (TAINTED, [], make_pod("p"), "A taint that is not tolerated",
         "2 of 2: node(s) had untolerated taint(s). They have dedicated=gpu:NoSchedule (2)."),
        (TAINTED, [], make_pod("p", node_selector={"disk": "ssd"}), "No node has the labels that they ask for",
         "0 of 2 nodes match disk=ssd. 2 other nodes have room; disk=ssd excludes them."),
    ],
    ids=["short of one", "short of two", "a whole node", "too large", "the one node", "taints", "labels"],
)  # fmt: skip
def test_words(nodes, held, pod, title, evidence):
    group = group_of(summed_up(inputs_of(nodes, [*held, pod])), "default/p")
    assert (group.title, said(group)) == (title, evidence)

"""The room that a run leaves."""

from __future__ import annotations

from scheduler_core.testing.builders import make_node
from tests.scheduler_core.explain.outcomes.runs import summed_up
from tests.scheduler_core.explain.outcomes.summed_runs import GPU, asking, gpu_node, inputs_of


def test_room_that_is_left_is_told_by_the_label_that_pods_select_on():
    nodes = [gpu_node("t-0", "T4"), gpu_node("g-0", "G2"), gpu_node("g-1", "G2"), make_node("plain")]
    pods = [asking("held", "4", node_name="t-0"), asking("half", "2", node_name="g-0")]
    pods += [asking(f"train-{i}", "2", node_selector={"model": "T4"}) for i in range(3)]
    fragmentation = summed_up(inputs_of(nodes, pods)).fragmentation
    assert (fragmentation.resource, fragmentation.unit, fragmentation.label) == (GPU, 2, "model")
    assert [(room.name, room.free, room.fitting, room.nodes, room.allowed) for room in fragmentation.rooms] == [
        ("G2", 6, 2, 2, 0),
        ("T4", 0, 0, 1, 3),
    ]

"""By which plugin a pod is on another node: what both frames say, and nothing where they do not."""

from __future__ import annotations

import msgspec
import pytest

from scheduler_core.api.config import PluginRef, PluginSet, Profile, SchedulerConfiguration
from scheduler_core.api.objects import ClusterObjects
from scheduler_core.compare import decided_by, pod_differences
from scheduler_core.compare.divergence import RecordedSide
from scheduler_core.compare.pods import MOVED
from scheduler_core.compare.side_reading import SideReading
from scheduler_core.simulate import RunInputs
from scheduler_core.testing.builders import make_node, make_pod
from tests.scheduler_core.compare.pairs import PACKED, UNBALANCED, recorded
from tests.scheduler_core.engine.scenarios import teaching

WITHOUT_TAINTS = SchedulerConfiguration(
    profiles=(Profile(plugins={"multiPoint": PluginSet(disabled=(PluginRef("TaintToleration"),))}),)
)


def moved(before, after):
    """Return {pod: (difference, by which plugin)} of the pods on another node, and both recordings."""
    readers = recorded(before), recorded(after)
    ends = [
        SideReading(RecordedSide.of(inputs, reader)).go_on(reader, lambda: False).ends
        for inputs, reader in zip((before, after), readers, strict=True)
    ]
    differences = [one for one in pod_differences(*ends) if one.group == MOVED]
    return {one.pod: (one, decided_by(*readers, one)) for one in differences}, readers


def run(nodes):
    held = make_pod("held", cpu="2", node_name="a")
    objects = ClusterObjects(nodes=tuple(nodes), pods=(held, make_pod("new", cpu="1")))
    return RunInputs(objects=objects, configuration=SchedulerConfiguration(), schedule="pending")


def test_a_pod_that_is_packed_is_moved_by_the_strategy():
    before = run([make_node("a", cpu="8"), make_node("b", cpu="8")])
    pods, _ = moved(before, msgspec.structs.replace(before, configuration=PACKED))
    one, by = pods["default/new"]
    assert (one.a.node, one.b.node) == ("b", "a")
    assert by.startswith("NodeResourcesFit +")


def test_a_plugin_that_refuses_a_node_in_one_of_both_runs_is_named():
    tainted = make_node("b", cpu="8", taints=("gone=yes:NoSchedule",))
    with_taints = run([make_node("a", cpu="8"), tainted])
    without = msgspec.structs.replace(with_taints, configuration=WITHOUT_TAINTS)
    assert moved(with_taints, without)[0]["default/new"][1] == "TaintToleration refused b"
    assert moved(without, with_taints)[0]["default/new"][1] == "TaintToleration refuses b"


@pytest.mark.slow
@pytest.mark.parametrize("configuration", [PACKED, UNBALANCED], ids=["packed", "unbalanced"])
def test_the_points_are_those_of_both_frames_counted_again(configuration):
    before = teaching(seed=1, max_cycles=150)
    pods, readers = moved(before, msgspec.structs.replace(before, configuration=configuration))
    named = {pod: (one, by) for pod, (one, by) in pods.items() if "+" in by}
    assert named
    for one, by in named.values():
        plugin, points = by.rsplit(" ", 1)
        grown = {}
        for reader, end, sign in zip(readers, (one.a, one.b), (-1, 1), strict=True):
            frame, names = reader.frame(end.cycle), reader.node_names(end.cycle)
            x, y = names.index(one.a.node), names.index(one.b.node)
            for i, name in enumerate(frame.score_plugins):
                scores = frame.normalized(i)
                more = frame.weights[i] * (int(scores[y]) - int(scores[x]))
                grown[name] = grown.get(name, 0) + sign * more
        assert int(points.replace(",", "")) == grown[plugin] == max(grown.values())

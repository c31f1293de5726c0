"""A handle for single plugins: a still clock, smallest draws, and filters that are asked in order."""

from __future__ import annotations

from scheduler_core.framework.contracts.cycle_state import CycleState
from scheduler_core.framework.contracts.status import SUCCESS, Code
from scheduler_core.plugins.node_name import NodeName
from scheduler_core.plugins.node_unschedulable import NodeUnschedulable
from scheduler_core.testing.builders import make_cluster, make_node, make_pod
from scheduler_core.testing.fake_handle import FakeHandle


def test_time_stands_still_placed_pods_are_known_and_draws_are_the_smallest():
    handle = FakeHandle(make_cluster([make_node("n")], {"n": [make_pod("p")]}), now=5_000_000)
    assert (handle.run.now, list(handle.run.pods), handle.run.draw("host", 9)) == (5_000_000, ["default/p"], 0)


def test_the_first_refusal_counts_and_a_skipped_filter_is_not_asked():
    cluster = make_cluster([make_node("n", unschedulable=True)])
    handle, cycle = FakeHandle(cluster), CycleState(1)
    handle.filters = [NodeUnschedulable(None, handle), NodeName(None, handle)]
    pod, view = cluster.info(make_pod("p", node_name="other")), cluster.view(0)
    refusal = handle.run_filters_with_nominated(cycle, pod, view)
    assert (refusal.plugin, refusal.code) == (NodeUnschedulable.name, Code.UNSCHEDULABLE_AND_UNRESOLVABLE)
    cycle.skip_filter = frozenset({NodeUnschedulable.name})
    assert handle.run_filters_with_nominated(cycle, pod, view).plugin == NodeName.name
    assert [plugin.name for plugin in handle.active_filters(cycle)] == [NodeName.name]
    handle.filters = []
    assert handle.run_filters_with_nominated(cycle, pod, view) is SUCCESS

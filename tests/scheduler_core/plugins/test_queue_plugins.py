"""PrioritySort, SchedulingGates and DefaultBinder: the plugins around the queue and the binding."""

from __future__ import annotations

from scheduler_core.framework.contracts.cycle_state import CycleState
from scheduler_core.framework.contracts.events import ActionType, Hint, Resource
from scheduler_core.framework.contracts.plugin import NoArgs
from scheduler_core.framework.contracts.status import SUCCESS, unresolvable
from scheduler_core.plugins.default_binder import DefaultBinder
from scheduler_core.plugins.priority_sort import PrioritySort
from scheduler_core.plugins.scheduling_gates import SchedulingGates
from scheduler_core.testing.builders import make_cluster, make_pod
from scheduler_core.testing.fake_handle import FakeHandle


def test_higher_priority_goes_first_and_equal_ones_in_order_of_time() -> None:
    plugin = PrioritySort(NoArgs(), FakeHandle())
    entries = [(make_pod("low", priority=1), 1), (make_pod("late", priority=9), 5), (make_pod("early", priority=9), 2)]
    ordered = sorted(entries, key=lambda entry: plugin.sort_key(*entry))
    assert [pod.name for pod, _ in ordered] == ["early", "late", "low"]


def test_a_pod_with_gates_waits_and_all_of_them_are_named() -> None:
    plugin = SchedulingGates(NoArgs(), FakeHandle())
    assert plugin.pre_enqueue(make_pod("p")) == SUCCESS
    gated = make_pod("p", scheduling_gates=("example.com/a", "example.com/b"))
    assert plugin.pre_enqueue(gated) == unresolvable("waiting for scheduling gates: [example.com/a example.com/b]")


def test_only_the_pods_own_gates_being_removed_queue_it() -> None:
    (registered,) = SchedulingGates(NoArgs(), FakeHandle()).events_to_register()
    event = registered.event
    assert (event.resource, event.action) == (Resource.POD, ActionType.UPDATE_POD_SCHEDULING_GATES_ELIMINATED)
    assert registered.hint is not None
    assert registered.hint(make_pod("p"), None, make_pod("p")) is Hint.QUEUE
    assert registered.hint(make_pod("p"), None, make_pod("q")) is Hint.SKIP


def test_the_default_binder_takes_every_pod() -> None:
    cluster = make_cluster([])
    plugin = DefaultBinder(NoArgs(), FakeHandle(cluster))
    assert plugin.bind(CycleState(), cluster.info(make_pod("p")), "n1") == SUCCESS

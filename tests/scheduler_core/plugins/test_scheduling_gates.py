"""Pods with scheduling gates."""

from __future__ import annotations

from scheduler_core.framework.contracts.events import ActionType, Hint, Resource
from scheduler_core.framework.contracts.plugin import NoArgs
from scheduler_core.framework.contracts.status import SUCCESS, unresolvable
from scheduler_core.plugins.scheduling_gates import SchedulingGates
from scheduler_core.testing.builders import make_pod
from scheduler_core.testing.fake_handle import FakeHandle


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

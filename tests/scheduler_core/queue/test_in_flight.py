from __future__ import annotations

from scheduler_core.queue.cluster_events import FORCE_ACTIVATE
from scheduler_core.queue.in_flight import InFlight
from scheduler_core.queue.types import QueuedPod
from tests.scheduler_core.queue.queue_helpers import NODE_ADD, NODE_LABEL, node, pod


def queued(name):
    return QueuedPod(pod(name), f"default/{name}", 0, 1)


def shown(in_flight):
    return [e.pod.name if isinstance(e, QueuedPod) else e.event.action.name for e in in_flight.log()]


def test_events_are_kept_for_the_oldest_attempt_and_dropped_after_it():
    in_flight = InFlight()
    a, b = queued("a"), queued("b")
    in_flight.record(NODE_ADD, None, node("nobody"))
    in_flight.add(a)
    in_flight.record(NODE_ADD, None, node("x"))
    in_flight.add(b)
    in_flight.record(NODE_LABEL, node("x"), node("x"))
    assert shown(in_flight) == ["a", "ADD", "b", "UPDATE_NODE_LABEL"]
    assert [e.event for e in in_flight.events_since_pop(a)] == [NODE_ADD, NODE_LABEL]
    assert [e.event for e in in_flight.events_since_pop(b)] == [NODE_LABEL]
    in_flight.remove("uid-a")
    assert shown(in_flight) == ["b", "UPDATE_NODE_LABEL"]
    in_flight.remove("uid-b")
    assert shown(in_flight) == []


def test_the_end_of_a_later_attempt_keeps_what_the_earlier_one_needs():
    in_flight = InFlight()
    a, b = queued("a"), queued("b")
    in_flight.add(a)
    in_flight.record(NODE_ADD, None, node("x"))
    in_flight.add(b)
    in_flight.record(NODE_LABEL, None, node("x"))
    in_flight.remove("uid-b")
    assert shown(in_flight) == ["a", "ADD", "UPDATE_NODE_LABEL"]
    assert in_flight.events_since_pop(b) is None


def test_events_for_one_pod_are_kept_only_while_it_is_in_flight():
    in_flight = InFlight()
    in_flight.add(queued("a"))
    assert not in_flight.record_for(pod("b"), None, (FORCE_ACTIVATE,))
    assert in_flight.record_for(pod("a"), None, (FORCE_ACTIVATE,))
    assert shown(in_flight) == ["a", "ALL"]


def test_a_pod_of_the_same_name_but_another_uid_is_another_pod():
    in_flight = InFlight()
    in_flight.add(queued("a"))
    again = QueuedPod(pod("a"), "default/a", 0, 2)
    again.pod = type(again.pod)(name="a", uid="other")
    assert again.pod not in in_flight
    in_flight.add(again)
    assert in_flight.get("default/a") is again
    assert in_flight.remove("other") is again
    assert len(in_flight) == 1
    assert in_flight.remove("other") is None


def test_a_restored_log_prunes_like_the_original():
    original = InFlight()
    original.add(queued("a"))
    original.record(NODE_ADD, None, node("x"))
    original.add(queued("b"))
    original.record(NODE_LABEL, None, node("x"))
    copy = InFlight()
    copy.restore(list(original.log()))
    for in_flight in (original, copy):
        in_flight.remove("uid-a")
    assert shown(copy) == shown(original) == ["b", "UPDATE_NODE_LABEL"]

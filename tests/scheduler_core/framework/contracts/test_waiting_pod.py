"""A pod held by Permit: who lets it go, who refuses it, and which decision stands."""

from __future__ import annotations

from itertools import count

from scheduler_core.framework.contracts.waiting_pod import WaitingPodRecord
from scheduler_core.testing.builders import make_cluster, make_pod


def waiting(**deadlines):
    pod = make_cluster([], {}).info(make_pod("p"))
    return WaitingPodRecord(pod, "node-1", 3, deadlines, count(10).__next__)


def test_it_goes_on_when_the_last_plugin_allowed_it():
    pod = waiting(Gang=50, Quota=20)
    assert (pod.pending_plugins(), pod.next_deadline) == (("Gang", "Quota"), 20)
    pod.allow("Quota")
    assert (pod.decision, pod.pending_plugins(), pod.next_deadline) == (None, ("Gang",), 50)
    pod.allow("Gang")
    assert pod.decision == ("Gang", True, "")


def test_a_plugin_that_does_not_hold_it_allows_nothing():
    pod = waiting(Gang=50)
    pod.allow("Quota")
    assert (pod.decision, pod.pending_plugins()) == (None, ("Gang",))


def test_the_first_decision_stands_with_the_event_that_led_to_it():
    pod = waiting(Gang=50)
    assert pod.origin == 10
    pod.reject("Gang", "no")
    pod.reject("Quota", "neither")
    pod.allow("Gang")
    pod.time_out(60)
    assert (pod.decision, pod.origin) == (("Gang", False, "no"), 11)


def test_the_time_of_a_plugin_is_over_at_its_deadline():
    pod = waiting(Gang=50, Quota=20)
    pod.time_out(19)
    assert pod.decision is None
    pod.time_out(20)
    assert pod.decision == ("Quota", False, "rejected due to timeout after waiting at plugin Quota")

from __future__ import annotations

from scheduler_core.queue.types import QueuedPod
from scheduler_core.queue.unschedulable import UnschedulablePods
from tests.scheduler_core.queue.queue_helpers import pod


def put(pods, name, ticket, *plugins, timestamp=0, gated_by="", timed=True):
    queued = QueuedPod(pod(name), f"default/{name}", timestamp, ticket, gated_by=gated_by)
    queued.unschedulable_plugins = plugins
    pods.add(queued, ticket, timed)
    return queued


def names(pods):
    return [queued.pod.name for queued in pods]


def test_candidates_are_those_of_the_plugins_and_those_that_nobody_refused():
    pods = UnschedulablePods()
    for ticket, (name, plugins) in enumerate(
        [("fit", ["Fit"]), ("taint", ["Taint"]), ("nobody", []), ("both", ["Fit", "Taint"])], start=1
    ):
        put(pods, name, ticket, *plugins)
    assert names(pods.candidates({"Fit"})) == ["fit", "nobody", "both"]
    assert names(pods.candidates({"Fit", "Taint"})) == ["fit", "taint", "nobody", "both"]
    assert names(pods.candidates(set())) == ["nobody"]
    assert names(pods) == ["fit", "taint", "nobody", "both"]


def test_a_pod_leaves_every_index_even_if_its_plugins_changed_meanwhile():
    pods = UnschedulablePods()
    leaving = put(pods, "leaving", 1, "Fit", gated_by="Gates")
    leaving.unschedulable_plugins, leaving.gated_by = ("Other",), ""
    assert pods.gated == 1
    pods.discard(leaving)
    assert (len(pods), pods.gated, pods.candidates({"Fit", "Other"}), pods.oldest()) == (0, 0, [], None)
    assert leaving.ticket == 0


def test_the_oldest_timed_pod_is_found():
    pods = UnschedulablePods()
    put(pods, "young", 1, "Fit", timestamp=5)
    old = put(pods, "old", 2, "Fit", timestamp=2)
    held = put(pods, "untimed", 3, "Gates", timestamp=1, timed=False)
    assert pods.oldest() is old
    assert pods.oldest_held() is held
    assert names(pods.by_age()) == ["old", "young"]

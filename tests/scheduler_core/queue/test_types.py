from __future__ import annotations

from scheduler_core.api.objects import Pod
from scheduler_core.queue.types import LANES, QueuedPod, identity
from scheduler_core.recording import events


def test_pods_are_told_apart_by_uid_or_else_by_name():
    assert identity(Pod(name="a", uid="1")) != identity(Pod(name="a", uid="2"))
    assert identity(Pod(name="a")) == "default/a"


def test_rejectors_are_all_plugins_that_keep_the_pod_out():
    queued = QueuedPod(Pod(name="a"), "default/a", 0, 1, unschedulable_plugins=("Fit",), pending_plugins=("Permit",))
    assert queued.rejectors == ("Fit", "Permit")


def test_the_lanes_have_the_names_of_the_recorded_ones():
    assert LANES == events.LANES

from __future__ import annotations

import msgspec

from scheduler_core.api.objects import Pod
from scheduler_core.queue.types import LANES, Move, QueuedPod, identity
from scheduler_core.recording import events


def test_pods_are_told_apart_by_uid_or_else_by_name():
    assert identity(Pod(name="a", uid="1")) != identity(Pod(name="a", uid="2"))
    assert identity(Pod(name="a")) == "default/a"


def test_rejectors_are_all_plugins_that_keep_the_pod_out():
    queued = QueuedPod(Pod(name="a"), "default/a", 0, 1, unschedulable_plugins=("Fit",), pending_plugins=("Permit",))
    assert queued.rejectors == ("Fit", "Permit")


def test_a_move_has_the_fields_of_the_recorded_event_and_the_lanes_its_names():
    move = Move(pod="default/a", source="", target="active", event="NodeAdd")
    recorded = events.QueueMove(at=5, **msgspec.structs.asdict(move))
    assert (recorded.at, recorded.target, recorded.event) == (5, "active", "NodeAdd")
    assert Move.__struct_fields__ == tuple(name for name in recorded.__struct_fields__ if name != "at")
    assert LANES == events.LANES

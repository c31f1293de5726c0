"""What a workload wants, and a decision that leaves all as it is."""

from __future__ import annotations

import msgspec

from scheduler_core.controllers.decision import WorkloadProgress, desired_replicas, nothing
from tests.scheduler_core.controllers.controller_helpers import workload


def test_a_workload_wants_its_replicas_and_what_came_by_inputs():
    owner = workload("ReplicaSet")
    assert desired_replicas(owner, WorkloadProgress(extra_pods=2)) == owner.replicas + 2


def test_nothing_makes_and_removes_no_pod_and_keeps_the_counts():
    progress = WorkloadProgress(made=3, replaced=1)
    decision = nothing(progress)
    assert (decision.make, decision.remove, decision.again_at) == ([], [], None)
    assert decision.progress is progress


def test_progress_comes_back_from_a_keyframe():
    progress = WorkloadProgress(made=3, indexes=[0, 2], over="failed", nodes=["n"])
    assert msgspec.json.decode(msgspec.json.encode(progress), type=WorkloadProgress) == progress
    assert msgspec.json.encode(WorkloadProgress()) == b"{}", "what is as at the start takes no room"

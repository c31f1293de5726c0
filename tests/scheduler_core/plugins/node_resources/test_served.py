"""Scores that count devices where these serve an extended resource."""

from __future__ import annotations

from scheduler_core.api.config import Profile, SchedulerConfiguration
from scheduler_core.api.objects import ClusterObjects
from scheduler_core.compiled import without_kernel
from scheduler_core.recording import events as ev
from scheduler_core.simulate import Policies, RunInputs, RunSession
from scheduler_core.testing.builders import make_node, make_pod
from tests.scheduler_core.framework.plugin_helpers.test_device_totals import CLASS, GPU, slice_of

ARGS = {"scoringStrategy": {"type": "MostAllocated", "resources": [{"name": GPU, "weight": 5}, {"name": "cpu"}]}}
BALANCED = {"resources": [{"name": "cpu", "weight": 1}, {"name": "memory", "weight": 1}, {"name": GPU, "weight": 1}]}
PROFILE = Profile(plugin_config={"NodeResourcesFit": ARGS, "NodeResourcesBalancedAllocation": BALANCED})


def run(n_pods: int, **options: bool) -> tuple[list[str], str]:
    pods = [make_pod(f"p{i}", cpu="100m", extended={GPU: "1"}) for i in range(n_pods)]
    objects = ClusterObjects(
        nodes=[make_node("n1"), make_node("n2")],
        pods=pods,
        device_classes=[CLASS],
        resource_slices=[slice_of("n1", 4), slice_of("n2", 2)],
    )
    policies = Policies(kubernetes="1.36", draw="smallest", binding_us=0, claims="play")
    configuration = SchedulerConfiguration(profiles=(PROFILE,))
    session = RunSession.start(RunInputs(objects=objects, configuration=configuration, policies=policies), **options)
    nodes: list[str] = []
    session.observe(lambda seq, event: nodes.append(event.node) if isinstance(event, ev.Bound) else None)
    session.advance()
    return nodes, session.recording_hash()


def test_the_node_whose_devices_are_used_most_is_filled_first():
    nodes, hashed = run(4)
    assert nodes == ["n2", "n2", "n1", "n1"]
    assert run(4, cached=False)[1] == hashed
    with without_kernel():
        assert run(4)[1] == hashed

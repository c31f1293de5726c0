"""What versions decide otherwise in the engine, where no recording shows it."""

from __future__ import annotations

import pytest

from scheduler_core.manifests import config_from_raw, load_manifests
from scheduler_core.recording import events as ev
from scheduler_core.simulate import Policies, RunInputs, RunSession

STATUS = {"allocatable": {"cpu": "2", "pods": "9"}}
NODE = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n"}, "status": STATUS}
WITHOUT_POST_FILTER = {
    "apiVersion": "kubescheduler.config.k8s.io/v1",
    "kind": "KubeSchedulerConfiguration",
    "profiles": [{"schedulerName": "default-scheduler", "plugins": {"postFilter": {"disabled": [{"name": "*"}]}}}],
}


def pod(name, cpu, **more):
    container = {"name": "c", "image": "i", "resources": {"requests": {"cpu": cpu}}}
    spec = {"containers": [container], **more.pop("spec", {})}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name}, "spec": spec, **more}


def recorded(objects, kubernetes, configuration=None):
    """Return the events of a run under this version."""
    result = load_manifests(objects)
    assert not result.errors
    inputs = RunInputs(objects=result.objects, policies=Policies(kubernetes=kubernetes), max_cycles=2)
    if configuration is not None:
        inputs = RunInputs(
            objects=result.objects,
            policies=inputs.policies,
            configuration=config_from_raw(configuration)[0],
            max_cycles=2,
        )
    session, events = RunSession.start(inputs), []
    session.simulation.observers.append(events.append)
    while not session.advance(max_cycles=2):
        pass
    return events


@pytest.mark.parametrize(("kubernetes", "cleared"), [("1.34", []), ("1.35", ["default/p"])])
def test_a_failure_without_post_filter_clears_the_nomination_since_1_35(kubernetes, cleared):
    waiting = pod("p", "8", status={"nominatedNodeName": "n"})
    events = recorded([NODE, waiting], kubernetes, WITHOUT_POST_FILTER)
    assert [event.pod for event in events if isinstance(event, ev.Nominated) and not event.node] == cleared


@pytest.mark.parametrize(
    ("kubernetes", "text"),
    [
        ("1.36", "0/1 nodes are available: 1 Insufficient cpu."),
        (
            "1.37",
            "0/1 nodes are available: 1 Insufficient cpu. preemption: found a potential placement for pod on node n, "
            "preempting 1 victims",
        ),
    ],
)
def test_a_pod_that_preempts_names_node_and_victims_since_1_37(kubernetes, text):
    placed = pod("low", "2", spec={"nodeName": "n"}, status={"phase": "Running", "startTime": "2025-01-01T00:00:00Z"})
    events = recorded([NODE, placed, pod("high", "2", spec={"priority": 10})], kubernetes)
    assert next(event.message for event in events if isinstance(event, ev.CycleFinished)) == text

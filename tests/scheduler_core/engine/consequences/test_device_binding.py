"""Binding waits in virtual time until drivers have made devices ready, or its time is out."""

from __future__ import annotations

from typing import Any

import pytest

from scheduler_core.api.config import Profile, SchedulerConfiguration
from scheduler_core.api.devices import DeviceCondition, DeviceStatus
from scheduler_core.api.objects import ResourceClaim
from scheduler_core.manifests import config_from_raw
from scheduler_core.recording import events as ev
from scheduler_core.simulate import Policies, RunInputs, RunSession, Timeline, TimelineEntry
from scheduler_core.testing.builders import make_pod
from tests.scheduler_core.engine.consequences.claim_runs import claim, cluster, slice_of, user
from tests.scheduler_core.engine.owned_pods import SECOND

LATE = {"binding_conditions": ("Attached",), "binding_failure_conditions": ("Broken",)}


def reports(condition: str, device: str = "d0") -> ResourceClaim:
    """The claim as a driver updates it."""
    said = (DeviceCondition(condition, "True", "Fire", "it burns"),)
    return claim("c", device_status=(DeviceStatus(driver="d.io", pool="n0", device=device, conditions=said),))


def inputs_of(*entries: tuple[float, str, Any], timeout: str = "600s") -> RunInputs:
    objects = cluster(user("p", "c"), resource_claims=[claim("c")], resource_slices=[slice_of("n0", 1, **LATE)])
    args = {"DynamicResources": {"bindingTimeout": timeout}}
    return RunInputs(
        objects=objects,
        configuration=SchedulerConfiguration(profiles=(Profile(plugin_config=args),)),
        schedule="timeline",
        timeline=Timeline.of([TimelineEntry(int(at * SECOND), action, obj) for at, action, obj in entries]),  # type: ignore[arg-type]
        policies=Policies(kubernetes="1.36", binding_us=0, cycle_us=0),
        max_virtual_us=1500 * SECOND,
    )


def run(inputs: RunInputs) -> list[tuple[float, str]]:
    """(second, what) of the ends of bindings."""
    session, ends = RunSession.start(inputs), list[tuple[float, str]]()

    def note(event: ev.AnyEvent) -> None:
        if isinstance(event, ev.Bound):
            ends.append((event.at / SECOND, "bound"))
        elif isinstance(event, ev.Unreserved):
            ends.append((event.at / SECOND, event.reason))

    session.simulation.observers.append(note)
    session.advance()
    return ends


def test_a_pod_is_bound_at_the_next_look_after_its_driver_reported() -> None:
    assert run(inputs_of((12, "put", reports("Attached")))) == [(15.0, "bound")]
    assert run(inputs_of((15, "put", reports("Attached")))) == [(15.0, "bound")]


def test_a_failure_ends_the_wait_and_the_next_attempt_gives_the_device_back() -> None:
    ends = run(inputs_of((12, "put", reports("Broken"))))
    assert ends[0][0] == 15.0
    assert "device binding failed: claim=c, reason=Fire" in ends[0][1]


@pytest.mark.parametrize(("timeout", "seconds"), [("7s", 7.0), ("600s", 600.0)])
def test_without_a_report_the_wait_ends_with_its_time(timeout: str, seconds: float) -> None:
    at, why = run(inputs_of(timeout=timeout))[0]
    assert (at, "device binding timeout" in why) == (seconds, True)


def test_a_pod_that_goes_meanwhile_is_given_up() -> None:
    ends = run(inputs_of((12, "delete", make_pod("p"))))
    assert [why for _, why in ends] == ["the pod was deleted"]


@pytest.mark.parametrize("entry", [(12, "put", reports("Attached")), (12, "put", reports("Broken"))])
def test_a_run_that_is_resumed_while_a_pod_waits_goes_on_the_same(entry: Any) -> None:
    inputs = inputs_of(entry, timeout="40s")
    whole, torn = RunSession.start(inputs), RunSession.start(inputs)
    whole.advance()
    n_waiting = 0
    while torn.simulation.step():
        chunk = torn.cut_chunk()
        if chunk is not None:
            n_waiting += any(one.pre_bind >= 0 for one in torn.simulation.bindings.values())
            assert chunk.keyframe is not None
            torn = RunSession.resume(inputs, chunk.keyframe)
    assert n_waiting > 0
    assert torn.recording_hash() == whole.recording_hash()


@pytest.mark.parametrize(("text", "is_read"), [("600s", True), ("1m30s", True), ("soon", False), ("5", False)])
def test_a_time_out_is_a_duration_as_go_writes_it(text: str, is_read: bool) -> None:
    plugin = {"name": "DynamicResources", "args": {"bindingTimeout": text}}
    profile = {"schedulerName": "default-scheduler", "pluginConfig": [plugin]}
    _, findings = config_from_raw(
        {
            "apiVersion": "kubescheduler.config.k8s.io/v1",
            "kind": "KubeSchedulerConfiguration",
            "profiles": [profile],
        }
    )
    wrong = [one.text() for one in findings if one.severity == "error"]
    assert (wrong == []) is is_read
    assert is_read or "bindingTimeout" in wrong[0]

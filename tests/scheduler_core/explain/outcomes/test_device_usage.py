"""Devices of classes over a run: those that claims have, and those that there are."""

from __future__ import annotations

from typing import Any

import msgspec

from scheduler_core.api.devices import (
    Allocation,
    ClaimSpec,
    Device,
    DeviceClass,
    DeviceRequest,
    DeviceResult,
    ResourceSlice,
)
from scheduler_core.api.objects import ClusterObjects, ResourceClaim
from scheduler_core.explain.outcomes.device_usage import DeviceUsage
from scheduler_core.explain.outcomes.summary import summarize
from scheduler_core.explain.outcomes.tally import tally_recording
from scheduler_core.recording import MemoryStore, RecordingReader
from scheduler_core.simulate import Policies, RunInputs, RunSession
from tests.scheduler_core.engine.consequences.claim_runs import claim, cluster, user

CLASS = DeviceClass(name="gpu", selectors=("device.driver == 'd.io'",))
SPEC = ClaimSpec((DeviceRequest(name="r", class_name="gpu"),))


def slice_of(n: int, **fields: Any) -> ResourceSlice:
    devices = tuple(Device(name=f"d{i}") for i in range(n))
    return ResourceSlice(**{"name": "s", "driver": "d.io", "pool": "p", "devices": devices} | fields)


def having(name: str, device: str, **fields: Any) -> ResourceClaim:
    given = Allocation(devices=(DeviceResult(request="r", driver="d.io", pool="p", device=device, **fields),))
    return ResourceClaim(name=name, spec=SPEC, allocation=given)


def test_devices_count_once_and_those_of_administrators_not():
    claims = [having("a", "d0"), having("b", "d0"), having("c", "d1", admin_access=True)]
    usage = DeviceUsage(ClusterObjects(device_classes=[CLASS], resource_slices=[slice_of(3)], resource_claims=claims))
    assert usage.allocated == {"devices of gpu": 1}
    assert usage.there == {"devices of gpu": 3}
    usage.take("ResourceClaim", "default/a", None, by_input=True)
    assert usage.allocated == {"devices of gpu": 1}
    usage.take("ResourceClaim", "default/b", None, by_input=True)
    assert usage.allocated == {"devices of gpu": 0}


def test_a_claim_that_an_input_changes_keeps_its_devices():
    usage = DeviceUsage(ClusterObjects(device_classes=[CLASS], resource_claims=[having("a", "d0")]))
    without = ResourceClaim(name="a", spec=SPEC)
    usage.take("ResourceClaim", "default/a", without, by_input=True)
    assert usage.allocated == {"devices of gpu": 1}
    usage.take("ResourceClaim", "default/a", without, by_input=False)
    assert usage.allocated == {"devices of gpu": 0}


def test_slices_that_change_are_counted_again_in_their_newest_generation():
    usage = DeviceUsage(ClusterObjects(device_classes=[CLASS], resource_slices=[slice_of(3)]))
    usage.take("ResourceSlice", "t", slice_of(2, name="t", generation=1), by_input=True)
    assert usage.there == {"devices of gpu": 2}
    failing = msgspec.structs.replace(CLASS, selectors=("device.attributes['d.io'].none == 1",))
    usage.take("DeviceClass", "gpu", failing, by_input=True)
    assert usage.there == {"devices of gpu": 0}


def test_outcomes_of_a_run_have_its_devices():
    objects = cluster(user("a", "c"), user("b", "d"), devices=1, resource_claims=[claim("c"), claim("d")])
    inputs = RunInputs(objects=objects, policies=Policies(kubernetes="1.36", claims="play"))
    session = RunSession.start(inputs)
    store = MemoryStore(session.initial_keyframe())
    session.advance()
    store.add(session.cut_chunk())
    (line,) = summarize(tally_recording(inputs, RecordingReader(store))).series.devices
    assert (line.requested[0], line.requested[-1], line.allocatable[-1]) == (0, 1, 1)

"""On generated clusters with devices: without the obstacles of the cause a node fits, without fewer none does.

What removes an obstacle is written here by hand and decided by the engine, not by the code that found it.
"""

from __future__ import annotations

import random
from itertools import combinations, count
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
import pytest
from msgspec.structs import replace

from scheduler_core.api.devices import DeviceConstraint, ResourceSlice
from scheduler_core.api.objects import ResourceClaim
from scheduler_core.testing.builders import make_node
from tests.scheduler_core.explain.diagnosis.device_clusters import (
    ASKED,
    BIG,
    CLASS,
    GPU,
    SICK,
    DeviceCluster,
    claim,
    gpu,
    held,
    holder,
    pool_of,
    request,
    same,
    waiting,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from scheduler_core.explain.diagnosis.model import Obstacle

ERROR = f"device.attributes['{GPU}'].model == 'x'"


class Edit(NamedTuple):
    """What removes an obstacle: its code and what it is about."""

    code: str
    subject: str = ""


def cluster_of(seed: int) -> DeviceCluster:
    """The first cluster of the seed on which the pod does not fit."""
    return next(one for one in (drawn(random.Random(f"{seed}/{i}")) for i in count()) if not fits(one))


def drawn(draw: random.Random) -> DeviceCluster:
    nodes, objects = [f"n{i}" for i in range(draw.randint(1, 3))], list[Any]()
    for node in nodes:
        devices = [
            gpu(i, draw.choice(["24Gi", "80Gi"]), taints=[SICK] * (draw.random() < 0.2))
            for i in range(draw.randint(0, 4))
        ]
        if devices:
            objects.append(pool_of(node, *devices, slice_count=2 if draw.random() < 0.15 else 1))
        for one in devices:
            if draw.random() < 0.5:
                name = f"q-{node}-{one.name}"
                objects += [held(f"h-{name}", name, (node, one.name)), holder(name, node, f"h-{name}")]
    selectors = draw.choice([(), (), (BIG,), (ERROR,)]) if draw.random() < 0.5 else ()
    asked = [request("a", count=draw.randint(1, 3), selectors=selectors)]
    if draw.random() < 0.3:
        asked.append(request("b", count=draw.randint(1, 2)))
    constraints = draw.choice([[], [], [same()], [DeviceConstraint(distinct_attribute=f"{GPU}/numa")]])
    objects.append(claim(*asked, constraints=constraints))
    sizes = [make_node(name, cpu=draw.choice(["1", "8"])) for name in nodes]
    return DeviceCluster(*objects, nodes=sizes, pod=waiting(cpu="2" if draw.random() < 0.3 else "0"))


def fits(cluster: DeviceCluster) -> bool:
    return cluster.trials().attempt(ASKED).is_scheduled


def without(cluster: DeviceCluster, edits: Iterable[Edit]) -> DeviceCluster:
    """The cluster without these obstacles."""
    several = list(edits)
    codes = {edit.code for edit in several}
    made = DeviceCluster(*cluster.objects, nodes=cluster.nodes, pod=cluster.pod, classes=[CLASS])
    made.objects = [_edited(one, several, codes) for one in cluster.objects]
    if codes & {"SHORT_CPU", "TOO_LARGE"}:
        made.pod = waiting(cpu="0")
    return made


def _edited(one: Any, edits: list[Edit], codes: set[str]) -> Any:
    if isinstance(one, ResourceSlice):
        devices = (
            tuple(replace(device, taints=()) for device in one.devices) if "DEVICE_TAINTED" in codes else one.devices
        )
        return replace(one, devices=devices, slice_count=1 if "DEVICE_POOL_INCOMPLETE" in codes else one.slice_count)
    if not isinstance(one, ResourceClaim):
        return one
    if one.allocation is not None:
        return replace(one, allocation=None, reserved_for=()) if "DEVICE_IN_USE" in codes else one
    for edit in edits:
        one = _asking_otherwise(one, edit)
    return one


def _asking_otherwise(one: ResourceClaim, edit: Edit) -> ResourceClaim:
    spec, requests = one.spec, list(one.spec.requests)
    for i, asked in enumerate(requests):
        if edit.subject != f"c/{asked.name}":
            continue
        if edit.code in ("DEVICE_SELECTOR", "DEVICE_SELECTOR_ERROR"):
            requests[i] = replace(asked, selectors=())
        if edit.code == "DEVICE_TOO_MANY" and asked.count > 1:
            requests[i] = replace(asked, count=1)
        elif edit.code in ("DEVICE_TOO_MANY", "DEVICE_NONE"):
            requests.pop(i)
            break
    constraints = () if edit.code == "DEVICE_CONSTRAINT" else spec.constraints
    return replace(one, spec=msgspec.structs.replace(spec, requests=tuple(requests), constraints=constraints))


def as_dropped(edits: list[Edit]) -> list[Edit]:
    """The same with requests left out for which devices of slices that are not there, or fewer ones, are wanted."""
    missing = ("DEVICE_POOL_INCOMPLETE", "DEVICE_TOO_MANY")
    return [*edits, *(Edit("DEVICE_NONE", edit.subject) for edit in edits if edit.code in missing)]


def edit_of(obstacle: Obstacle) -> Edit:
    return Edit(obstacle.code, obstacle.subject)


OF_ALL = [
    Edit(code)
    for code in ("DEVICE_IN_USE", "DEVICE_CONSTRAINT", "DEVICE_TAINTED", "DEVICE_POOL_INCOMPLETE", "SHORT_CPU")
]
"""What can be removed of the cluster or the claim as a whole."""


def holds(seed: int) -> None:
    cluster = cluster_of(seed)
    diagnosis = cluster.diagnosis()
    assert diagnosis is not None
    for reading in (diagnosis.cause, *diagnosis.cause.either, *diagnosis.cause.also):
        if not reading.opens.count:
            continue
        edits = [edit_of(obstacle) for obstacle in reading.obstacles]
        assert any(fits(without(cluster, one)) for one in (edits, as_dropped(edits))), f"{edits}: {reading.opens.names}"
    size = len({obstacle.code for obstacle in diagnosis.cause.obstacles})
    for smaller in range(size if diagnosis.cause.opens.count else 0):
        for fewer in combinations(OF_ALL, smaller):
            assert not fits(without(cluster, fewer)), f"{fewer} is enough, and the cause is {diagnosis.cause.codes}"


@pytest.mark.parametrize("seed", range(40))
def test_the_obstacles_of_each_reading_open_a_node_and_fewer_do_not(seed: int) -> None:
    holds(seed)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(40, 400))
def test_the_obstacles_of_each_reading_open_a_node_on_many_clusters(seed: int) -> None:
    holds(seed)

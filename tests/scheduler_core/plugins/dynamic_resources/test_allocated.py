"""What claims have, followed from change to change, is what they have from scratch."""

from __future__ import annotations

import random

from scheduler_core.api.devices import Allocation, DeviceResult
from scheduler_core.api.objects import OwnerReference, ResourceClaim
from scheduler_core.columns.cluster import Listers
from scheduler_core.plugins.dynamic_resources.allocated import AllocatedDevices
from scheduler_core.versions.semantics import behaviours_of
from tests.seeds import each_seed

NEWEST = behaviours_of("1.36")


def allocation(draw: random.Random) -> Allocation:
    devices = []
    for _ in range(draw.randrange(3)):
        shared, admin = draw.random() < 0.4, draw.random() < 0.2
        devices.append(
            DeviceResult(
                request="r", driver="d.io", pool=f"p{draw.randrange(2)}",
                device=f"{'s' if shared else 'd'}{draw.randrange(3)}",
                admin_access=admin, share_id="any" if shared else "",
                consumed={"memory": f"{draw.randrange(1, 4)}Gi"} if shared else {},
            )
        )  # fmt: skip
    return Allocation(tuple(devices))


def claim(draw: random.Random, name: str) -> ResourceClaim:
    owner = (OwnerReference("Pod", "p", f"uid-{draw.randrange(2)}", controller=True),)
    given = allocation(draw) if draw.random() < 0.7 else None
    return ResourceClaim(
        name=name, allocation=given, owner_references=owner, for_extended_resources=int(name[1:]) % 2 == 0
    )


@each_seed(range(60), together=20, short=20)
def test_following_comes_to_the_same(seed: int) -> None:
    draw = random.Random(seed)
    listers, in_flight, followed = Listers(), {}, AllocatedDevices(NEWEST)
    before = AllocatedDevices.of([], {}, NEWEST)
    for _ in range(30):
        for _ in range(draw.randrange(1, 4)):
            key = f"c{draw.randrange(5)}"
            drawn = draw.random()
            if drawn < 0.5:
                listers.put(claim(draw, key))
            elif drawn < 0.7:
                listers.drop(ResourceClaim(name=key))
            elif drawn < 0.85:
                in_flight[f"default/{key}"] = allocation(draw)
            else:
                in_flight.pop(f"default/{key}", None)
        position = len(followed.pool_log)
        followed.follow(listers, in_flight)
        scratch = AllocatedDevices.of(listers.resource_claims.values(), in_flight, NEWEST)
        assert (followed.devices, followed.capacity) == (scratch.devices, scratch.capacity)
        made_for = {uid: set(keys) for uid, keys in followed.made_for.items() if keys}
        assert made_for == {uid: set(keys) for uid, keys in scratch.made_for.items()}
        assert set(followed.pool_log[position:]) == pools_that_differ(before, scratch)
        before = scratch


def pools_that_differ(one: AllocatedDevices, other: AllocatedDevices) -> set[tuple[str, str]]:
    devices = {key for key in {*one.devices, *other.devices} if (key in one.devices) != (key in other.devices)}
    shared = {key for key in {*one.capacity, *other.capacity} if one.capacity.get(key) != other.capacity.get(key)}
    return {key[:2] for key in devices | shared}


def test_a_claim_that_is_written_after_it_was_in_flight_changes_nothing() -> None:
    given = Allocation((DeviceResult(request="r", driver="d.io", pool="p", device="d"),))
    listers, followed = Listers(), AllocatedDevices(NEWEST)
    followed.follow(listers, {"default/c": given})
    assert followed.pool_log == [("d.io", "p")]
    listers.put(ResourceClaim(name="c", allocation=given))
    followed.follow(listers, {})
    assert (followed.pool_log, list(followed.devices)) == ([("d.io", "p")], [("d.io", "p", "d")])

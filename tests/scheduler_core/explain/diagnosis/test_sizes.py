"""Sizes of changes: the order among sets of obstacles that are equal otherwise."""

from __future__ import annotations

import pytest

from scheduler_core.explain.diagnosis.sizes import change_size
from scheduler_core.framework.contracts.facts import DeviceCounts, DeviceFact, HeldDevices

HELD = tuple(HeldDevices(f"default/{name}", devices) for name, devices in (("a", ("d0",)), ("b", ("d1", "d2"))))


def fact(code: str, asked: int = 1, free: int = 0, matching: int = 0, request: str = "g") -> DeviceFact:
    counts = DeviceCounts(free=free, matching=matching, held=HELD)
    return DeviceFact(code=code, entry="e", claim="default/c", request=request, asked=asked, counts=counts)


@pytest.mark.parametrize(
    ("one", "size"),
    [
        pytest.param(fact("DEVICE_IN_USE", asked=1), 1.0, id="one claim gives enough back"),
        pytest.param(fact("DEVICE_IN_USE", asked=2), 1.0, id="the claim with most devices first"),
        pytest.param(fact("DEVICE_IN_USE", asked=3), 2.0, id="both have to"),
        pytest.param(fact("DEVICE_IN_USE", asked=2, free=2), 1.0, id="at least one where enough are free"),
        pytest.param(fact("DEVICE_TOO_MANY", asked=4, matching=3), 0.25, id="a share of what is asked for"),
        pytest.param(fact("DEVICE_TOO_MANY", asked=33, request=""), 0.5, id="more than a claim can have"),
        pytest.param(fact("DEVICE_TAINTED"), 1.0, id="one toleration"),
    ],
)
def test_the_size_of_a_change_for_devices(one: DeviceFact, size: float) -> None:
    assert change_size(one) == size

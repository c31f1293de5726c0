"""Requests in words."""

from __future__ import annotations

from scheduler_core.api.devices import ClaimSpec, DeviceConstraint, DeviceRequest, DeviceToleration
from scheduler_core.explain.devices.words import constraint_in_words, request_in_words, spec_in_words


def test_requests_say_what_they_ask():
    one = DeviceRequest(
        name="r",
        class_name="gpu.example.com",
        count=2,
        capacity={"memory": "10Gi"},
        tolerations=(DeviceToleration(key="xid", operator="Exists"),),
        admin_access=True,
    )
    assert request_in_words(one) == (
        "2 of gpu.example.com; each with memory 10Gi; tolerates xid; for an administrator, so that others may have the "
        "same"
    )
    every = DeviceRequest(name="s", class_name="x.example.com", mode="All")
    either = DeviceRequest(name="e", alternatives=(one, every))
    assert request_in_words(either).endswith("s: all of x.example.com")
    spec = ClaimSpec((one, either), (DeviceConstraint(match_attribute="a.example.com/numa"),))
    assert spec_in_words(spec) == "2 gpu, 2 gpu or all x, on one NUMA node"


def test_constraints_say_over_what():
    assert constraint_in_words(DeviceConstraint(match_attribute="a/b")) == "a/b equal over all requests"
    assert (
        constraint_in_words(DeviceConstraint(requests=("x", "y"), distinct_attribute="a/b"))
        == "a/b different over x, y"
    )

"""Devices in a few words, whatever their version, and whatever is wrong with them."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dashboard.clusters.tables.device_facts import device_facts
from dashboard.clusters.tables.query import object_facts
from tests.scheduler_core.device_objects import ALL

ONE = {"name": "gpu", "exactly": {"deviceClassName": "a100", "count": 2}}
RESULTS = {"devices": {"results": [{"device": "g0"}, {"device": "g1"}]}}


@pytest.mark.parametrize(
    ("kind", "raw", "facts"),
    [
        ("ResourceClaim", {"spec": {"devices": {"requests": [ONE]}}}, "gpu: 2 of a100; no device yet"),
        (
            "ResourceClaim",
            {"spec": {"devices": {"requests": [{"name": "r", "deviceClassName": "c", "allocationMode": "All"}]}},
             "status": {"allocation": RESULTS, "reservedFor": [{"name": "p"}]}},
            "r: all of c; has g0, g1, used by 1 pod",
        ),
        (
            "ResourceClaimTemplate",
            {"spec": {"spec": {"devices": {"requests": [
                {"name": "r", "firstAvailable": [{"deviceClassName": "a"}, {"deviceClassName": "b", "count": 2}]}]}}}},
            "r: 1 of a or 2 of b",
        ),
        ("DeviceClass", {"spec": {"selectors": [{}], "extendedResourceName": "a/b"}}, "1 selector, serves a/b"),
        (
            "ResourceSlice",
            {"spec": {"driver": "d", "pool": {"name": "p"}, "nodeName": "n", "devices": [{}, {}]}},
            "2 devices of d, pool p, node n",
        ),
    ],
)  # fmt: skip
def test_what_is_asked_for_and_what_is_there(kind, raw, facts):
    assert object_facts(kind, raw) == facts


TREES = st.recursive(
    st.none() | st.booleans() | st.text(max_size=3) | st.integers(),
    lambda inner: (
        st.lists(inner, max_size=2)
        | st.dictionaries(
            st.sampled_from(
                ("spec", "status", "devices", "requests", "allocation", "results", "pool", "firstAvailable")
            ),
            inner,
            max_size=3,
        )
    ),
    max_leaves=8,
)


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(kind=st.sampled_from(sorted(ALL)), raw=st.dictionaries(st.sampled_from(("spec", "status")), TREES))
def test_no_shape_of_an_object_is_too_odd(kind, raw):
    assert isinstance(device_facts(kind, raw), str)

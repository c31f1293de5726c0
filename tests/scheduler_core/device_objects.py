"""Generated slices, classes, claims and templates, as the API server admits them."""

from __future__ import annotations

import hypothesis.strategies as st
import msgspec

from scheduler_core.api import devices as d
from scheduler_core.api.labels import NodeSelector, NodeSelectorTerm, Requirement
from scheduler_core.api.objects import OwnerReference, ResourceClaim
from scheduler_core.manifests.kinds.devices.values import canonical_json

NAMES = st.sampled_from(("a", "gpu-0", "x1", "big-one", "n"))
QUALIFIED = st.sampled_from(("memory", "model", "example.com/model", "resource.kubernetes.io/pcieRoot"))
QUANTITIES = st.sampled_from(("0", "1", "40Gi", "1500M", "250m", "10"))
TEXTS = st.sampled_from(("", "A100", "a b: c", "true", "1"))
CONDITIONS = st.lists(st.sampled_from(("ready", "Attached")), max_size=2, unique=True).map(tuple)
EXPRESSIONS = st.sampled_from(
    ("true", 'device.driver == "gpu.example.com"', 'device.attributes["example.com"].model in ["a", "b"]')
)
SELECTORS = st.lists(EXPRESSIONS, max_size=2).map(tuple)
NODES = st.sampled_from(
    (
        NodeSelector((NodeSelectorTerm((Requirement("zone", "In", ("a", "b")),), ()),)),
        NodeSelector((NodeSelectorTerm((), (Requirement("metadata.name", "In", ("n",)),)),)),
    )
)
CONFIGS = st.builds(
    lambda driver, text: canonical_json({"opaque": {"driver": driver, "parameters": {"kind": "Config", "of": [text]}}}),
    st.sampled_from(("gpu.example.com", "nic.example.com")),
    TEXTS,
)
TAINTS = st.builds(
    d.DeviceTaint,
    st.sampled_from(("example.com/broken", "slow")),
    st.sampled_from(("", "yes")),
    st.sampled_from(("NoSchedule", "NoExecute", "None")),
)
TOLERATIONS = st.one_of(
    st.builds(lambda value: d.DeviceToleration("slow", "Equal", value, "NoSchedule"), st.sampled_from(("", "yes"))),
    st.builds(
        lambda seconds: d.DeviceToleration("", "Exists", "", "NoExecute", seconds), st.sampled_from((None, 0, 30))
    ),
)
ATTRIBUTES = st.dictionaries(
    QUALIFIED, st.one_of(st.booleans(), st.integers(-5, 5), TEXTS, st.just(d.VersionValue("1.2.3-rc.1+b"))), max_size=3
)
POLICIES = st.sampled_from(
    (
        d.CapacityPolicy(default="1", values=("1", "2", "4")),
        d.CapacityPolicy(default="1", min="1"),
        d.CapacityPolicy(default="2", min="2", max="8", step="2"),
    )
)
CAPACITIES = st.one_of(
    st.dictionaries(QUALIFIED, st.builds(d.DeviceCapacity, QUANTITIES), max_size=2),
    st.dictionaries(QUALIFIED, st.builds(d.DeviceCapacity, st.just("16"), POLICIES), max_size=2),
)
COUNTERS = st.dictionaries(st.sampled_from(("memory", "slices")), QUANTITIES, min_size=1, max_size=2)


def _unique(values: st.SearchStrategy, most: int = 3, least: int = 0) -> st.SearchStrategy:
    return st.lists(values, min_size=least, max_size=most, unique_by=lambda one: one.name).map(tuple)


@st.composite
def devices(draw, *, with_nodes: bool) -> tuple[d.Device, ...]:
    """Devices of a slice, each with its own nodes or none."""
    names = draw(st.lists(NAMES, max_size=3, unique=True))
    out = []
    for name in names:
        place = draw(st.sampled_from(("node", "all", "selector"))) if with_nodes else ""
        capacity = draw(CAPACITIES)
        conditions = draw(CONDITIONS)
        out.append(
            d.Device(
                name=name,
                attributes=draw(ATTRIBUTES),
                capacity=capacity,
                taints=tuple(draw(st.lists(TAINTS, max_size=2, unique_by=lambda one: (one.key, one.effect)))),
                node_name="n" if place == "node" else "",
                all_nodes=place == "all",
                node_selector=draw(NODES) if place == "selector" else None,
                shared=any(one.policy for one in capacity.values()),
                binds_to_node=draw(st.booleans()),
                binding_conditions=conditions,
                binding_failure_conditions=("Failed",) if conditions else (),
            )
        )
    return tuple(out)


@st.composite
def slices(draw) -> d.ResourceSlice:
    """A slice of devices, or of shared counters."""
    place = draw(st.sampled_from(("node", "all", "selector", "devices")))
    counters = draw(_unique(st.builds(d.CounterSet, NAMES, COUNTERS), 2))
    return d.ResourceSlice(
        name="s",
        driver="gpu.example.com",
        pool=draw(st.sampled_from(("n", "n/part"))),
        generation=draw(st.integers(0, 3)),
        slice_count=draw(st.integers(1, 3)),
        node_name="n" if place == "node" else "",
        all_nodes=place == "all",
        node_selector=draw(NODES) if place == "selector" else None,
        per_device_nodes=place == "devices",
        devices=() if counters else draw(devices(with_nodes=place == "devices")),
        shared_counters=counters,
    )


CLASSES = st.builds(
    d.DeviceClass,
    name=st.just("gpu"),
    selectors=SELECTORS,
    config=st.lists(CONFIGS, max_size=2).map(tuple),
    extended_resource_name=st.sampled_from(("", "example.com/gpu")),
    creation_timestamp=st.sampled_from((None, 1_700_000_000.0)),
)


@st.composite
def exact(draw, name: str, *, alternative: bool = False) -> d.DeviceRequest:
    """A request, or one of several alternatives."""
    mode = draw(st.sampled_from((d.EXACT_COUNT, d.ALL)))
    return d.DeviceRequest(
        name=name,
        class_name="gpu",
        selectors=draw(SELECTORS),
        mode=mode,
        count=draw(st.integers(1, 3)) if mode == d.EXACT_COUNT else 1,
        admin_access=not alternative and draw(st.booleans()),
        tolerations=tuple(draw(st.lists(TOLERATIONS, max_size=2))),
        capacity=draw(st.dictionaries(QUALIFIED, QUANTITIES, max_size=2)),
    )


@st.composite
def specs(draw) -> d.ClaimSpec:
    """What a claim asks for."""
    requests = []
    for name in draw(st.lists(NAMES, max_size=3, unique=True)):
        if draw(st.booleans()):
            requests.append(draw(exact(name)))
        else:
            names = draw(st.lists(NAMES, min_size=1, max_size=2, unique=True))
            alternatives = tuple(draw(exact(one, alternative=True)) for one in names)
            requests.append(d.DeviceRequest(name=name, alternatives=alternatives))
    names = [one.name for one in requests]
    some = st.lists(st.sampled_from(names), max_size=2, unique=True).map(tuple) if names else st.just(())
    matching = st.builds(d.DeviceConstraint, requests=some, match_attribute=st.just("example.com/model"))
    distinct = st.builds(d.DeviceConstraint, requests=some, distinct_attribute=st.just("example.com/model"))
    return d.ClaimSpec(
        tuple(requests),
        tuple(draw(st.lists(st.one_of(matching, distinct), max_size=2))),
        tuple(draw(st.lists(st.builds(d.ClaimConfig, CONFIGS, some), max_size=2))),
    )


RESULTS = st.builds(
    d.DeviceResult,
    request=st.sampled_from(("a", "a/x1")),
    driver=st.just("gpu.example.com"),
    pool=NAMES,
    device=NAMES,
    admin_access=st.booleans(),
    tolerations=st.lists(TOLERATIONS, max_size=2).map(tuple),
    binding_conditions=CONDITIONS,
    share_id=st.sampled_from(("", "a6b1c2d3-0000-4000-8000-000000000000")),
    consumed=st.dictionaries(QUALIFIED, QUANTITIES, max_size=2),
)
ALLOCATIONS = st.builds(
    d.Allocation,
    st.lists(RESULTS, max_size=3).map(tuple),
    st.lists(
        st.builds(d.AllocationConfig, st.sampled_from(("FromClass", "FromClaim")), CONFIGS, st.just(("a",))), max_size=2
    ).map(tuple),
    st.none() | NODES,
    st.sampled_from((None, 1_700_000_000.5)),
)
STATUSES = st.builds(
    d.DeviceStatus,
    driver=st.just("gpu.example.com"),
    pool=NAMES,
    device=NAMES,
    conditions=st.lists(
        st.builds(d.DeviceCondition, st.sampled_from(("Ready", "Attached")), st.just("True"), TEXTS, TEXTS), max_size=2
    ).map(tuple),
    rest=st.sampled_from((canonical_json({}), canonical_json({"data": {"x": [1, None]}, "shareID": "s"}))),
)
CLAIMS = st.builds(
    ResourceClaim,
    name=st.just("c"),
    namespace=st.just("default"),
    uid=st.sampled_from(("", "u-1")),
    owner_references=st.sampled_from(
        ((), (OwnerReference(api_version="v1", kind="Pod", name="p", uid="u-2", controller=True),))
    ),
    deletion_timestamp=st.sampled_from((None, 1_700_000_001.0)),
    spec=specs(),
    allocation=st.none() | ALLOCATIONS,
    reserved_for=st.lists(
        st.builds(d.Consumer, NAMES, st.just("u"), st.sampled_from(("pods", "jobs")), st.sampled_from(("", "batch"))),
        max_size=2,
    ).map(tuple),
    device_status=st.lists(STATUSES, max_size=2).map(tuple),
    for_extended_resources=st.booleans(),
).map(lambda claim: claim if claim.allocation else msgspec.structs.replace(claim, reserved_for=()))
TEMPLATES = st.builds(
    d.ResourceClaimTemplate,
    name=st.just("t"),
    spec=specs(),
    labels=st.dictionaries(st.just("app"), st.just("web"), max_size=1),
    annotations=st.dictionaries(st.just("note"), TEXTS, max_size=1),
)
ALL = {"ResourceSlice": slices(), "DeviceClass": CLASSES, "ResourceClaim": CLAIMS, "ResourceClaimTemplate": TEMPLATES}
"""A strategy for each kind."""

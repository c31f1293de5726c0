"""Clusters with devices to mutate: slices, classes, claims, templates, pods that use them; made from a seed.

``python -m tests.fuzz.fuzz --devices --cases 2000`` runs them in all settings, under a version that has devices and
with the controller of claims.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.fuzz import bases

if TYPE_CHECKING:
    from random import Random

Raw = dict[str, Any]
API = "resource.k8s.io/v1"
DRIVERS = ("gpu.example.com", "nic.example.com")
EXPRESSIONS = (
    "device.driver == 'gpu.example.com'", "device.attributes['gpu.example.com'].numa == 0",
    "device.capacity['gpu.example.com'].memory.compareTo(quantity('16Gi')) >= 0", "has(device.attributes['x.io'].y)",
    "device.attributes['gpu.example.com'].model.matches('^a.*')", "device.attributes['none.io'].x == 1", "1 == 1",
    "device.attributes['gpu.example.com'].numa > 'a'", "device.driver", "(", "device.driver.find('.*') == 'a'",
)  # fmt: skip


def device(random: Random, i: int) -> Raw:
    made: Raw = {
        "name": f"d{i}",
        "attributes": {"numa": {"int": i % 2}, "model": {"string": random.choice(("a80", "b40"))}},
        "capacity": {"memory": {"value": random.choice(("8Gi", "16Gi", "40Gi"))}},
    }
    if random.random() < 0.1:
        made["taints"] = [{"key": "sick", "value": "yes", "effect": random.choice(("NoSchedule", "NoExecute"))}]
    if random.random() < 0.2:
        made["allowMultipleAllocations"] = True
    if random.random() < 0.1:
        made["bindingConditions"], made["bindingFailureConditions"] = ["Ready"], ["Broken"]
        made["bindsToNode"] = True
    return made


def slices(random: Random, n_nodes: int) -> list[Raw]:
    made = []
    for i in range(n_nodes):
        for driver in DRIVERS[: random.randint(0, 2)]:
            spec: Raw = {"driver": driver, "pool": {"name": f"n{i}", "generation": 1, "resourceSliceCount": 1}}
            spec |= {"nodeName": f"n{i}", "devices": [device(random, k) for k in range(random.randint(1, 4))]}
            made.append({"apiVersion": API, "kind": "ResourceSlice", "metadata": {"name": f"{driver[:3]}-n{i}"}})
            made[-1]["spec"] = spec
    if random.random() < 0.4:
        spec = {"driver": DRIVERS[0], "pool": {"name": "net", "generation": 1, "resourceSliceCount": 1}}
        spec |= {"allNodes": True, "devices": [device(random, k) for k in range(2)]}
        made.append({"apiVersion": API, "kind": "ResourceSlice", "metadata": {"name": "net"}, "spec": spec})
    if random.random() < 0.3:
        pool = {"name": "parts", "generation": 1, "resourceSliceCount": 2}
        counters = [{"name": "whole", "counters": {"units": {"value": "4"}}}]
        takes = [{"counterSet": "whole", "counters": {"units": {"value": "2"}}}]
        parts = [{"name": f"part-{k}", "consumesCounters": takes} for k in range(3)]
        of = {"driver": DRIVERS[0], "pool": pool, "nodeName": "n0"}
        for name, more in (("parts-0", {"sharedCounters": counters}), ("parts-1", {"devices": parts})):
            made.append({"apiVersion": API, "kind": "ResourceSlice", "metadata": {"name": name}, "spec": of | more})
    return made


def request(random: Random, name: str) -> Raw:
    exactly: Raw = {"deviceClassName": random.choice(("gpu", "gpu", "nic"))}
    if random.random() < 0.3:
        exactly["count"] = random.randint(1, 3)
    if random.random() < 0.15:
        exactly["allocationMode"] = "All"
        exactly.pop("count", None)
    if random.random() < 0.3:
        exactly["selectors"] = [{"cel": {"expression": random.choice(EXPRESSIONS[:4])}}]
    if random.random() < 0.2:
        exactly["tolerations"] = [{"key": "sick", "operator": "Exists"}]
    if random.random() < 0.15:
        exactly["capacity"] = {"requests": {"memory": "8Gi"}}
    if random.random() < 0.2:
        return {"name": name, "firstAvailable": [{"name": "one", **exactly}, {"name": "two", "deviceClassName": "nic"}]}
    return {"name": name, "exactly": exactly}


def claim_spec(random: Random) -> Raw:
    requests = [request(random, f"r{i}") for i in range(random.randint(1, 3))]
    devices: Raw = {"requests": requests}
    if random.random() < 0.3:
        devices["constraints"] = [{random.choice(("matchAttribute", "distinctAttribute")): "gpu.example.com/numa"}]
    return {"devices": devices}


def cluster(random: Random) -> list[Raw]:
    """Nodes and pods as other cases have them, with devices for some of the pods."""
    n_nodes = random.randint(1, 4)
    raws = [bases.node(random, i) for i in range(n_nodes)] + slices(random, n_nodes)
    for name, expression in (("gpu", EXPRESSIONS[0]), ("nic", "device.driver == 'nic.example.com'")):
        spec: Raw = {"selectors": [{"cel": {"expression": expression}}]}
        if name == "gpu" and random.random() < 0.4:
            spec["extendedResourceName"] = bases.GPU
        raws.append({"apiVersion": API, "kind": "DeviceClass", "metadata": {"name": name}, "spec": spec})
    for i in range(2):
        body = {"metadata": {"name": f"c{i}"}, "spec": claim_spec(random)}
        raws.append({"apiVersion": API, "kind": "ResourceClaim", **body})
    body = {"metadata": {"name": "t"}, "spec": {"spec": claim_spec(random)}}
    raws.append({"apiVersion": API, "kind": "ResourceClaimTemplate", **body})
    return raws + [pod(random, f"p{i}") for i in range(random.randint(2, 9))]


def pod(random: Random, name: str) -> Raw:
    container: Raw = {"name": "app", "image": "app:1", "resources": {"requests": {"cpu": "100m"}}}
    if random.random() < 0.2:
        container["resources"]["limits"] = {bases.GPU: "1"}
    spec: Raw = {"containers": [container], "terminationGracePeriodSeconds": 1}
    if random.random() < 0.8:
        source = random.choice(({"resourceClaimName": "c0"}, {"resourceClaimName": "c1"}))
        source = {"resourceClaimTemplateName": "t"} if random.random() < 0.6 else source
        spec["resourceClaims"] = [{"name": "devices", **source}]
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "labels": {"app": "web"}}, "spec": spec}


def timeline(random: Random, raws: list[Raw]) -> Raw:
    """Pods that come and go, and slices, classes and claims that change."""
    entries = []
    for i in range(random.randint(0, 6)):
        some = random.choice([raw for raw in raws if raw["kind"] != "Node"])
        changed = random.choice((
            {"action": "add", "object": pod(random, f"late-{i}")},
            {"action": "delete", "object": some},
            {"action": "update", "object": some},
        ))  # fmt: skip
        entries.append({"at": random.choice((0, "2ms", "1s", "2m")), **changed})
    return {"entries": entries}


_AMOUNTS = ("0", "1", "16Gi", "7Ei", "-1", "x", 3)
_CLAIMS = [
    (("requests", "*", "exactly", "count"), (0, 1, 2, 32, 33, -1, 1 << 40, "a")),
    (("requests", "*", "exactly", "allocationMode"), ("All", "ExactCount", "Some", "")),
    (("requests", "*", "exactly", "adminAccess"), (True, False, None)),
    (("requests", "*", "exactly", "deviceClassName"), ("gpu", "nic", "missing", "", "A b")),
    (("requests", "*", "exactly", "selectors"), tuple([{"cel": {"expression": e}}] for e in EXPRESSIONS)),
    (("requests", "*", "exactly", "capacity"), ({"requests": {"memory": "1"}}, {"requests": {"none": "1"}}, {})),
    (("requests", "*", "name"), ("r0", "r1", "", "a/b")),
    (("requests",), ([], [{"name": "x"}], None)),
    (("constraints",), (
        [{"matchAttribute": "gpu.example.com/model"}], [{"matchAttribute": "none"}], [{"requests": ["none"]}], [{}],
        [{"distinctAttribute": "gpu.example.com/numa", "requests": ["r0"]}])),
]  # fmt: skip
MUTATIONS: dict[str, list[tuple[tuple[str, ...], tuple[Any, ...]]]] = {
    "ResourceClaim": [(("spec", "devices", *path), values) for path, values in _CLAIMS],
    "ResourceClaimTemplate": [(("spec", "spec", "devices", *path), values) for path, values in _CLAIMS],
    "DeviceClass": [
        (("spec", "selectors"), tuple([{"cel": {"expression": e}}] for e in EXPRESSIONS)),
        (("spec", "extendedResourceName"), (bases.GPU, "a b", "", "other.io/x")),
        (("spec", "config"), ([{"opaque": {"driver": "gpu.example.com", "parameters": {"a": 1}}}], [{}])),
    ],
    "ResourceSlice": [
        (("spec", "pool", "generation"), (0, 2, -1, "a")),
        (("spec", "pool", "resourceSliceCount"), (0, 1, 2, 3)),
        (("spec", "pool", "name"), ("n0", "n1", "", "A b")),
        (("spec", "nodeName"), ("n0", "n1", "ghost", "")),
        (("spec", "devices", "*", "name"), ("d0", "d1", "", "A")),
        (("spec", "devices", "*", "attributes", "numa"), (
            {"int": 1}, {"string": "x"}, {"version": "1.x"}, {}, {"int": 1 << 70})),
        (("spec", "devices", "*", "capacity", "memory", "value"), _AMOUNTS),
        (("spec", "devices", "*", "capacity", "memory", "requestPolicy"), (
            {"default": "4Gi", "validRange": {"min": "1Gi", "step": "1Gi"}}, {"validValues": ["8Gi"]},
            {"default": "x"})),
        (("spec", "devices", "*", "taints"), ([{"key": "sick", "effect": "NoSchedule"}], [{"key": "", "effect": "x"}])),
        (("spec", "devices", "*", "consumesCounters"), ([{"counterSet": "none", "counters": {}}], [])),
        (("spec", "sharedCounters", "*", "counters", "units", "value"), _AMOUNTS),
        (("spec", "allNodes"), (True, False)),
    ],
}  # fmt: skip

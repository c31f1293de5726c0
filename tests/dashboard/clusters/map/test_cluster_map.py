"""The map's sums: equal to an independent recount from the manifests, over generated clusters."""

from __future__ import annotations

import random
from fractions import Fraction

from dashboard.clusters.map.cluster_map import ClusterMap, natural, requested_amount
from dashboard.clusters.revisions.object_keys import Key
from dashboard.clusters.revisions.object_rows import build_rows
from scheduler_core.manifests import load_manifests
from tests.seeds import each_seed

UNITS = {"": 1, "m": Fraction(1, 1000), "Ki": 1 << 10, "Mi": 1 << 20, "Gi": 1 << 30, "k": 1000, "M": 10**6}
GPU, FPGA = "nvidia.com/gpu", "example.com/fpga"
PHASES = ("Pending", "Running", "Running", "Running", "Succeeded", "Failed")


def number(text: str) -> Fraction:
    digits = text.rstrip("KMGimk")
    return Fraction(digits) * UNITS[text[len(digits) :]]


def map_of(manifests):
    loaded = load_manifests(manifests, source="test", is_whole=True)
    assert not loaded.errors
    keys = [Key(one["kind"], one["metadata"].get("namespace", ""), one["metadata"]["name"]) for one in manifests]
    return ClusterMap(build_rows(loaded.objects, keys))


def a_node(name, **more):
    allocatable = {"cpu": "8", "memory": "32Gi", "pods": "20", **more}
    return {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name}, "status": {"allocatable": allocatable}}


def a_pod(name, node="", phase="", **spec):
    bound = {"nodeName": node} if node else {}
    metadata = {"name": name, "namespace": "ns"}
    manifest = {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": {**bound, **spec}}
    return {**manifest, "status": {"phase": phase}} if phase else manifest


def container(name="c", always=False, **requests):
    devices = {key: value for key, value in requests.items() if "/" in key}
    fields = {"name": name, "image": "i", "resources": {"requests": requests, "limits": devices}}
    return {**fields, "restartPolicy": "Always"} if always else fields


def some_requests(chance):
    requests = {}
    if chance.random() < 0.9:
        requests["cpu"] = chance.choice(["100m", "250m", "1", "2500m"])
    if chance.random() < 0.8:
        requests["memory"] = chance.choice(["64Mi", "1Gi", "500M", "3Gi"])
    if chance.random() < 0.2:
        requests["ephemeral-storage"] = chance.choice(["1Gi", "200Mi"])
    if chance.random() < 0.2:
        requests[chance.choice([GPU, FPGA])] = chance.choice(["1", "2"])
    return requests


def generated(seed):
    """Nodes and pods: sidecars, init containers, pod-level requests, overhead, ended pods, nodes that are not there."""
    chance = random.Random(seed)
    nodes = [
        a_node(f"n-{i}", **({GPU: "4"} if chance.random() < 0.4 else {}), **{"ephemeral-storage": "100Gi"})
        for i in range(chance.randint(1, 9))
    ]
    places = [one["metadata"]["name"] for one in nodes] + ["gone", "", ""]
    pods = []
    for i in range(chance.randint(0, 60)):
        spec = {"containers": [container(f"c{k}", **some_requests(chance)) for k in range(chance.randint(1, 3))]}
        if chance.random() < 0.4:
            spec["initContainers"] = [
                container(f"i{k}", chance.random() < 0.5, **some_requests(chance)) for k in range(chance.randint(1, 3))
            ]
        if chance.random() < 0.2:
            spec["overhead"] = {"cpu": "50m", "memory": "32Mi"}
        if chance.random() < 0.2:
            spec["resources"] = {"requests": {"cpu": "40", "memory": "64Gi"}}
        if chance.random() < 0.1:
            spec["schedulingGates"] = [{"name": "example.com/wait"}]
        node = "" if "schedulingGates" in spec else chance.choice(places)
        pods.append(a_pod(f"p-{i}", node, chance.choice(PHASES), **spec))
    return nodes, pods


def asked(pod):
    """What a pod requests by the documented rule, recounted from the manifest in exact fractions."""
    spec = pod["spec"]

    def requests(one):
        return {key: number(value) for key, value in one["resources"]["requests"].items()}

    def plus(left, right):
        return {key: left.get(key, 0) + right.get(key, 0) for key in {*left, *right}}

    total = {}
    for one in spec["containers"]:
        total = plus(total, requests(one))
    sidecars, peak = {}, {}
    for one in spec.get("initContainers", []):
        if one.get("restartPolicy") == "Always":
            sidecars = plus(sidecars, requests(one))
            now = sidecars
        else:
            now = plus(sidecars, requests(one))
        peak = {key: max(peak.get(key, 0), now.get(key, 0)) for key in {*peak, *now}}
    running = plus(total, sidecars)
    amounts = {key: max(running.get(key, 0), peak.get(key, 0)) for key in {*running, *peak}}
    amounts.update({key: number(value) for key, value in spec.get("resources", {}).get("requests", {}).items()})
    return plus(amounts, {key: number(value) for key, value in spec.get("overhead", {}).items()})


def in_core_units(resource, value):
    return value * 1000 if resource == "cpu" else value


@each_seed(range(60), together=10)
def test_sums_of_every_node_and_resource_equal_a_recount_from_the_manifests(seed):
    nodes, pods = generated(seed)
    cluster_map = map_of([*nodes, *pods])
    on, unbound = {}, []
    for pod in pods:
        if pod["status"]["phase"] not in ("Succeeded", "Failed"):
            on.setdefault(pod["spec"].get("nodeName", ""), []).append(pod)
    unbound = on.pop("", [])
    names = {node["metadata"]["name"] for node in nodes}
    requested = {key for group in (*[on[n] for n in on if n in names], unbound) for pod in group for key in asked(pod)}
    assert {one.name for one in cluster_map.resources} == requested | {"cpu", "memory", "pods"}
    for one in cluster_map.resources:
        total = 0
        for node in cluster_map.nodes:
            mine = on.get(node.name, [])
            counted = sum(asked(pod).get(one.name, 0) for pod in mine) if one.name != "pods" else len(mine)
            assert requested_amount(node, one.name) == in_core_units(one.name, counted)
            total += counted
        assert one.requested == in_core_units(one.name, total)
        waits = sum(asked(pod).get(one.name, 0) for pod in unbound) if one.name != "pods" else len(unbound)
        assert one.unbound == in_core_units(one.name, waits)
        whole = sum(number(node["status"]["allocatable"].get(one.name, "0")) for node in nodes)
        assert one.allocatable == in_core_units(one.name, whole)


@each_seed(range(60), together=10)
def test_every_pod_is_shown_once(seed):
    nodes, pods = generated(seed)
    cluster_map = map_of([*nodes, *pods])
    shown = [pod.name for node in cluster_map.nodes for pod in cluster_map.pods_on(node.name)]
    missing = [pod.name for node in cluster_map.missing_nodes for pod in node.pods]
    waiting = [pod.name for pod in cluster_map.unbound]
    assert len(shown) == cluster_map.n_bound
    assert len(shown) + len(missing) + len(waiting) + cluster_map.n_finished == len(pods)
    assert len({*shown, *missing, *waiting}) == len(shown) + len(missing) + len(waiting)


def test_pods_on_a_node_that_is_not_there_are_named_and_count_nowhere():
    cluster_map = map_of([a_node("n-1"), a_pod("p", "gone", containers=[container(cpu="1")])])
    assert [(node.name, [pod.name for pod in node.pods]) for node in cluster_map.missing_nodes] == [("gone", ["p"])]
    assert cluster_map.n_bound == 0
    assert cluster_map.resources[0].requested == 0


def test_more_than_is_allocatable_is_over():
    pods = [a_pod(f"p-{i}", "n-1", containers=[container(cpu="5")]) for i in range(2)]
    cluster_map = map_of([a_node("n-1"), a_node("n-2"), *pods])
    cpu = cluster_map.resources[0]
    assert (cpu.name, cpu.n_over, cpu.most, cluster_map.n_over) == ("cpu", 1, 1.25, 1)
    assert cluster_map.scarcest(cluster_map.nodes[0]) == (1.25, "cpu")


def test_what_no_node_has_is_over_wherever_it_is_requested():
    cluster_map = map_of([a_node("n-1"), a_pod("p", "n-1", containers=[container(**{GPU: "1"})])])
    gpu = next(one for one in cluster_map.resources if one.name == GPU)
    assert (gpu.requested, gpu.allocatable, gpu.n_over) == (1, 0, 1)


def test_nodes_stand_in_natural_order_inside_of_pools_inside_of_zones():
    labels = {"n-10": ("b", ""), "n-2": ("a", "x"), "n-1": ("a", "y"), "n-9": ("a", "x"), "n-3": ("", "")}
    nodes = []
    for name, (zone, pool) in labels.items():
        node = a_node(name)
        pairs = {"topology.kubernetes.io/zone": zone, "pool": pool}
        node["metadata"]["labels"] = {key: value for key, value in pairs.items() if value}
        nodes.append(node)
    cluster_map = map_of(nodes)
    assert cluster_map.default_grouping == "zone"
    assert [cluster_map.nodes[i].name for i in cluster_map.ordered("zone")] == ["n-2", "n-9", "n-1", "n-10", "n-3"]
    assert [cluster_map.nodes[i].name for i in cluster_map.ordered("pool")] == ["n-2", "n-9", "n-1", "n-3", "n-10"]
    assert [cluster_map.nodes[i].name for i in cluster_map.ordered("none")] == ["n-1", "n-2", "n-3", "n-9", "n-10"]


def test_numbers_in_names_count_as_numbers():
    assert sorted(["n-10", "n-9", "m"], key=natural) == ["m", "n-9", "n-10"]

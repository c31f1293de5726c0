"""A generated GPU cluster whose shapes follow published statistics of a production cluster.

The shapes and shares are those that Alibaba published of its "openb" cluster (cluster-trace-gpu-v2023, Apache-2.0;
Weng et al., "Beware of Fragmentation", USENIX ATC 2023): frequent node types, frequent pod requests, classes of
service. No line of the trace is copied. Zones are ours, so that the map has something to show.
"""

from __future__ import annotations

from random import Random
from typing import Any, NamedTuple

Manifest = dict[str, Any]
GPU_COUNT, GPU_MILLI, MODEL = (
    "alibabacloud.com/gpu-count",
    "alibabacloud.com/gpu-milli",
    "alibabacloud.com/gpu-card-model",
)
ZONES = ("zone-a", "zone-b", "zone-c")
PRIORITIES = {"latency-sensitive": 1000, "guaranteed": 900, "burstable": 500, "best-effort": 100}


class NodeShape(NamedTuple):
    """A node type: GPU model and count, cpu in cores, memory in GiB, and how many of 1,523 nodes are of it."""

    model: str
    gpus: int
    cpu: int
    memory: int
    share: int


class PodShape(NamedTuple):
    """A request: cpu in thousandths, memory in MiB, GPUs, thousandths of a GPU if it shares one, class, how many."""

    cpu_milli: int
    memory_mib: int
    gpus: int
    gpu_milli: int
    priority: str
    share: int


NODE_SHAPES = (
    NodeShape("G2", 8, 96, 384, 549),
    NodeShape("T4", 2, 104, 512, 387),
    NodeShape("", 0, 32, 256, 162),
    NodeShape("P100", 2, 16, 120, 112),
    NodeShape("", 0, 96, 512, 114),
    NodeShape("G3", 8, 128, 768, 39),
    NodeShape("V100M16", 4, 32, 128, 28),
    NodeShape("", 0, 64, 512, 34),
    NodeShape("P100", 2, 64, 256, 22),
    NodeShape("V100M32", 8, 96, 768, 21),
    NodeShape("V100M16", 1, 8, 32, 19),
    NodeShape("T4", 4, 96, 384, 17),
    NodeShape("V100M32", 4, 48, 368, 9),
    NodeShape("V100M16", 8, 64, 256, 8),
    NodeShape("A10", 1, 128, 1024, 2),
)
POD_SHAPES = (
    PodShape(3152, 5600, 1, 810, "best-effort", 1045),
    PodShape(11300, 49152, 1, 1000, "latency-sensitive", 752),
    PodShape(12500, 57344, 0, 0, "latency-sensitive", 364),
    PodShape(11400, 48128, 1, 1000, "latency-sensitive", 465),
    PodShape(3152, 5600, 1, 1000, "best-effort", 415),
    PodShape(11908, 47104, 1, 470, "latency-sensitive", 387),
    PodShape(32000, 49152, 0, 0, "best-effort", 284),
    PodShape(8000, 30517, 1, 470, "best-effort", 355),
    PodShape(8000, 30517, 0, 0, "best-effort", 163),
    PodShape(11908, 47104, 1, 650, "latency-sensitive", 236),
    PodShape(18708, 64512, 1, 1000, "latency-sensitive", 203),
    PodShape(9810, 41560, 1, 1000, "latency-sensitive", 165),
    PodShape(15400, 51200, 0, 0, "latency-sensitive", 120),
    PodShape(15700, 58368, 1, 1000, "latency-sensitive", 106),
    PodShape(16500, 51200, 0, 0, "latency-sensitive", 95),
    PodShape(11908, 47104, 1, 1000, "best-effort", 117),
    PodShape(4000, 22888, 1, 320, "best-effort", 102),
    PodShape(12000, 24576, 1, 1000, "latency-sensitive", 67),
    PodShape(16000, 32768, 1, 1000, "latency-sensitive", 66),
    PodShape(4000, 30517, 1, 230, "best-effort", 65),
    PodShape(12000, 16384, 1, 1000, "latency-sensitive", 64),
    PodShape(8000, 16384, 1, 1000, "latency-sensitive", 64),
    PodShape(24200, 93184, 1, 1000, "latency-sensitive", 50),
    PodShape(4152, 10600, 1, 550, "best-effort", 51),
    PodShape(12000, 24576, 1, 1000, "burstable", 100),
    PodShape(96000, 393216, 8, 1000, "guaranteed", 7),
    PodShape(46000, 184320, 4, 1000, "latency-sensitive", 30),
    PodShape(22000, 92160, 2, 1000, "latency-sensitive", 38),
    PodShape(120200, 737280, 0, 0, "latency-sensitive", 2),
)
MODEL_BOUND = 0.34
"""Share of the GPU pods that ask for one GPU model."""


def gpu_cluster(n_nodes: int = 1_500, n_pods: int = 8_000, seed: int = 1) -> list[Manifest]:
    """Manifests of nodes, priority classes and pending pods; the same for the same arguments."""
    random = Random(seed)
    shapes = _shares(NODE_SHAPES, n_nodes)
    nodes = [_node(i, shape) for i, shape in enumerate(shapes)]
    classes = [
        {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": name}, "value": value}
        for name, value in PRIORITIES.items()
    ]
    namespaces = [{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}} for name in PRIORITIES]
    weights = [shape.share for shape in POD_SHAPES]
    pods = [_pod(i, shape, random) for i, shape in enumerate(random.choices(POD_SHAPES, weights, k=n_pods))]
    return [*namespaces, *classes, *nodes, *pods]


def _shares(shapes: tuple[NodeShape, ...], n: int) -> list[NodeShape]:
    """``n`` shapes in proportion to their shares, the most frequent filling the rest, evenly mixed."""
    total = sum(shape.share for shape in shapes)
    counts = [max(1, n * shape.share // total) for shape in shapes]
    counts[0] += n - sum(counts)
    spread = [((i + 0.5) / count, shape) for shape, count in zip(shapes, counts, strict=True) for i in range(count)]
    return [shape for _, shape in sorted(spread)][:n]


def _node(index: int, shape: NodeShape) -> Manifest:
    name = f"{(shape.model or 'cpu').lower()}-{index:04d}"
    labels = {"kubernetes.io/hostname": name, "topology.kubernetes.io/zone": ZONES[index % len(ZONES)]}
    amounts = {"cpu": str(shape.cpu), "memory": f"{shape.memory}Gi", "pods": "110"}
    if shape.gpus:
        labels[MODEL] = shape.model
        amounts |= {GPU_COUNT: str(shape.gpus), GPU_MILLI: str(1000 * shape.gpus)}
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "labels": labels},
        "status": {"capacity": amounts, "allocatable": amounts},
    }


def _pod(index: int, shape: PodShape, random: Random) -> Manifest:
    requests = {"cpu": f"{shape.cpu_milli}m", "memory": f"{shape.memory_mib}Mi"}
    if shape.gpus:
        requests[GPU_MILLI] = str(shape.gpus * shape.gpu_milli)
        if shape.gpu_milli == 1000:
            requests[GPU_COUNT] = str(shape.gpus)
    resources: Manifest = {"requests": requests}
    extended = {name: amount for name, amount in requests.items() if "/" in name}
    if extended:
        resources["limits"] = extended
    spec: Manifest = {
        "priorityClassName": shape.priority,
        "containers": [{"name": "main", "image": "registry.example/job:1", "resources": resources}],
    }
    if shape.gpus and random.random() < MODEL_BOUND:
        spec["nodeSelector"] = {MODEL: random.choices(("T4", "G2", "P100"), (55, 25, 20))[0]}
    name = f"{'train' if shape.gpus else 'job'}-{index:05d}"
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "namespace": shape.priority, "labels": {"class": shape.priority}},
        "spec": spec,
    }

"""Ready lists for descriptions: node shapes and pod sizes from published figures, each with its public source.

No line of a trace is copied: shapes and shares are facts that the sources state.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from scheduler_core.workloads.synthetic import GPU_COUNT, GPU_MILLI, MODEL, NODE_SHAPES, POD_SHAPES, PodShape

GIB = 1 << 30
MIB = 1 << 20
GPU = "nvidia.com/gpu"
PODS = "pods"
PODS_OF_A_NODE = 110
"""The kubelet's default for ``maxPods``."""
INSTANCE_TYPE = "node.kubernetes.io/instance-type"


class PublicSource(NamedTuple):
    """Where figures were published: a short name, the title, and the address."""

    name: str
    title: str
    address: str


OPENB = PublicSource(
    "openb",
    "Alibaba cluster-trace-gpu-v2023 (Weng et al., Beware of Fragmentation, USENIX ATC 2023)",
    "https://github.com/alibaba/clusterdata/tree/master/cluster-trace-gpu-v2023",
)
AWS = PublicSource("aws", "Amazon EC2 instance types", "https://aws.amazon.com/ec2/instance-types/")
GCP = PublicSource(
    "gcp", "Google Compute Engine machine families", "https://cloud.google.com/compute/docs/machine-resource"
)
AZURE = PublicSource(
    "azure", "Sizes for virtual machines in Azure", "https://learn.microsoft.com/azure/virtual-machines/sizes/overview"
)
SCHEDULER_PERF = PublicSource(
    "scheduler-perf",
    "Kubernetes scheduler_perf benchmark",
    "https://github.com/kubernetes/kubernetes/tree/master/test/integration/scheduler_perf",
)
BOUTIQUE = PublicSource(
    "online-boutique",
    "Google microservices-demo, release manifests",
    "https://github.com/GoogleCloudPlatform/microservices-demo",
)
SOURCES = (OPENB, AWS, GCP, AZURE, SCHEDULER_PERF, BOUTIQUE)


class ReadyShape(NamedTuple):
    """A kind of node: its capacity in canonical integers by resource, its own labels, and how often it occurs there.

    ``share`` is the number of such nodes in the published cluster, 0 where the source counts none.
    """

    name: str
    resources: dict[str, int]
    labels: dict[str, str]
    source: PublicSource
    share: int = 0


class ReadySize(NamedTuple):
    """Requests of a pod in canonical integers by resource, and how many pods of the list have them."""

    resources: dict[str, int]
    share: int


class SizeList(NamedTuple):
    """Requests that occur together in a published workload."""

    name: str
    title: str
    sizes: tuple[ReadySize, ...]
    source: PublicSource


# Name, CPUs, memory in GiB, GPUs.
_INSTANCES = {
    AWS: (
        ("m5.large", 2, 8, 0),
        ("m5.xlarge", 4, 16, 0),
        ("m5.2xlarge", 8, 32, 0),
        ("m5.4xlarge", 16, 64, 0),
        ("m5.12xlarge", 48, 192, 0),
        ("m5.24xlarge", 96, 384, 0),
        ("c5.xlarge", 4, 8, 0),
        ("c5.2xlarge", 8, 16, 0),
        ("c5.4xlarge", 16, 32, 0),
        ("c5.9xlarge", 36, 72, 0),
        ("r5.xlarge", 4, 32, 0),
        ("r5.2xlarge", 8, 64, 0),
        ("r5.4xlarge", 16, 128, 0),
        ("g4dn.xlarge", 4, 16, 1),
        ("g4dn.12xlarge", 48, 192, 4),
        ("p3.2xlarge", 8, 61, 1),
        ("p3.16xlarge", 64, 488, 8),
        ("p4d.24xlarge", 96, 1152, 8),
        ("p5.48xlarge", 192, 2048, 8),
    ),
    GCP: (
        ("e2-standard-2", 2, 8, 0),
        ("e2-standard-4", 4, 16, 0),
        ("e2-standard-8", 8, 32, 0),
        ("n2-standard-4", 4, 16, 0),
        ("n2-standard-8", 8, 32, 0),
        ("n2-standard-16", 16, 64, 0),
        ("n2-standard-32", 32, 128, 0),
        ("n2-highmem-8", 8, 64, 0),
        ("a2-highgpu-1g", 12, 85, 1),
        ("a2-highgpu-8g", 96, 680, 8),
    ),
    AZURE: (
        ("Standard_D2s_v5", 2, 8, 0),
        ("Standard_D4s_v5", 4, 16, 0),
        ("Standard_D8s_v5", 8, 32, 0),
        ("Standard_D16s_v5", 16, 64, 0),
        ("Standard_E8s_v5", 8, 64, 0),
        ("Standard_NC24ads_A100_v4", 24, 220, 1),
    ),
}
# Requests of the eleven services and the load generator: thousandths of a CPU, MiB, how many have them.
_BOUTIQUE_SIZES = (
    (100, 64, 7),
    (200, 64, 1),
    (200, 180, 1),
    (100, 220, 1),
    (70, 200, 1),
    (300, 256, 1),
)


def _openb_shapes() -> list[ReadyShape]:
    shapes = []
    for shape in NODE_SHAPES:
        resources = {"cpu": shape.cpu * 1000, "memory": shape.memory * GIB, PODS: PODS_OF_A_NODE}
        name = f"openb-cpu-{shape.cpu}"
        if shape.gpus:
            resources |= {GPU_COUNT: shape.gpus, GPU_MILLI: 1000 * shape.gpus}
            name = f"openb-{shape.model.lower()}-{shape.gpus}-{shape.cpu}"
        shapes.append(ReadyShape(name, resources, {MODEL: shape.model} if shape.gpus else {}, OPENB, shape.share))
    return shapes


def _instance_shapes() -> list[ReadyShape]:
    return [
        ReadyShape(
            name,
            {"cpu": cpus * 1000, "memory": memory * GIB, PODS: PODS_OF_A_NODE} | ({GPU: gpus} if gpus else {}),
            {INSTANCE_TYPE: name},
            source,
        )
        for source, instances in _INSTANCES.items()
        for name, cpus, memory, gpus in instances
    ]


def _openb_size(shape: PodShape) -> ReadySize:
    resources = {"cpu": shape.cpu_milli, "memory": shape.memory_mib * MIB}
    if shape.gpus:
        resources[GPU_MILLI] = shape.gpus * shape.gpu_milli
        if shape.gpu_milli == 1000:
            resources[GPU_COUNT] = shape.gpus
    return ReadySize(resources, shape.share)


def _openb_lists() -> list[SizeList]:
    kinds: dict[str, tuple[str, Callable[[PodShape], bool]]] = {
        "openb": ("all pods of the trace", lambda shape: True),
        "openb-whole-gpu": ("whole GPUs", lambda shape: shape.gpus > 0 and shape.gpu_milli == 1000),
        "openb-shared-gpu": ("a share of a GPU", lambda shape: shape.gpus > 0 and shape.gpu_milli < 1000),
        "openb-cpu": ("no GPU", lambda shape: shape.gpus == 0),
    }
    return [
        SizeList(name, title, tuple(_openb_size(shape) for shape in POD_SHAPES if fits(shape)), OPENB)
        for name, (title, fits) in kinds.items()
    ]


_ONE_NODE = ReadyShape("scheduler-perf", {"cpu": 4_000, "memory": 32 * GIB, PODS: PODS_OF_A_NODE}, {}, SCHEDULER_PERF)
_ONE_SIZE = SizeList(
    "scheduler-perf", "100m, 500Mi each", (ReadySize({"cpu": 100, "memory": 500 * MIB}, 1),), SCHEDULER_PERF
)
_BOUTIQUE = SizeList(
    "online-boutique",
    "small services",
    tuple(ReadySize({"cpu": cpu, "memory": memory * MIB}, share) for cpu, memory, share in _BOUTIQUE_SIZES),
    BOUTIQUE,
)

SHAPES = {shape.name: shape for shape in [*_openb_shapes(), *_instance_shapes(), _ONE_NODE]}
SIZE_LISTS = {sizes.name: sizes for sizes in [*_openb_lists(), _ONE_SIZE, _BOUTIQUE]}

"""Ready lists: every shape and size is valid, and their shares are those that were published."""

from __future__ import annotations

import re
from collections import Counter

import pytest

from scheduler_core.manifests import load_manifests
from scheduler_core.workloads.generator.generate import generate
from scheduler_core.workloads.generator.ready_lists import SHAPES, SIZE_LISTS, SOURCES
from tests.scheduler_core.workloads.generator.texts import described


def test_every_ready_list_gives_valid_objects() -> None:
    pools = ", ".join(f"{{name: p{i}, nodes: 1, shape: {name}}}" for i, name in enumerate(SHAPES))
    workloads = ", ".join(f"{{name: w{i}, pods: 40, sizes: {name}}}" for i, name in enumerate(SIZE_LISTS))
    made = generate(described(f"{{pools: [{pools}], workloads: [{workloads}]}}"))
    result = load_manifests(made.manifests)
    assert result.findings == []
    assert len(result.objects.nodes) == len(SHAPES)


def test_shares_of_openb_are_those_of_the_trace() -> None:
    """1,523 nodes, 549 of them with eight G2 cards: the trace's README."""
    openb = [shape for shape in SHAPES.values() if shape.source.name == "openb"]
    assert sum(shape.share for shape in openb) == 1_523
    assert max(openb, key=lambda shape: shape.share).name == "openb-g2-8-96"


def test_each_source_is_in_use_and_has_an_address() -> None:
    used = {one.source for one in (*SHAPES.values(), *SIZE_LISTS.values())}
    assert used == set(SOURCES)
    assert all(source.address.startswith("https://") for source in SOURCES)


def large(name: str) -> int:
    """The CPUs of an AWS instance by the size in its name: an xlarge has four."""
    times = name.partition(".")[2].removesuffix("large").removesuffix("x")
    return 2 if name.endswith(".large") else 4 * int(times or 1)


GIB_PER_CPU = {"m5": 4, "c5": 2, "r5": 8, "g4dn": 4, "p3": 7.625, "p4d": 12, "p5": 32 / 3}
"""By family, as AWS publishes them."""


def amounts(name: str) -> tuple[float, float, int]:
    """The CPUs, GiB and GPUs of a ready shape."""
    resources = SHAPES[name].resources
    return resources["cpu"] / 1000, resources["memory"] / 2**30, resources.get("nvidia.com/gpu", 0)


def of(source: str) -> list[str]:
    return [name for name, shape in SHAPES.items() if shape.source.name == source]


@pytest.mark.parametrize("name", of("aws"))
def test_an_aws_instance_has_what_its_name_says(name: str) -> None:
    cpus, memory, gpus = amounts(name)
    assert cpus == large(name)
    assert memory == pytest.approx(cpus * GIB_PER_CPU[name.partition(".")[0]])
    assert gpus == {"g4dn.xlarge": 1, "g4dn.12xlarge": 4, "p3.2xlarge": 1}.get(name, 8 if name.startswith("p") else 0)


@pytest.mark.parametrize("name", of("gcp"))
def test_a_google_machine_has_what_its_name_says(name: str) -> None:
    _family, kind, size = name.split("-")
    n = int(size.removesuffix("g"))
    expected = {"standard": (n, 4 * n, 0), "highmem": (n, 8 * n, 0), "highgpu": (12 * n, 85 * n, n)}
    assert amounts(name) == expected[kind]


@pytest.mark.parametrize("name", of("azure"))
def test_an_azure_machine_has_what_its_name_says(name: str) -> None:
    family, n = re.match(r"Standard_([A-Z]+)(\d+)", name).groups()
    cpus = int(n)
    expected = {"D": (cpus, 4 * cpus, 0), "E": (cpus, 8 * cpus, 0), "NC": (cpus, 220, 1)}
    assert amounts(name) == expected[family]


BOUTIQUE = {
    "adservice": (200, 180), "cartservice": (200, 64), "checkoutservice": (100, 64), "currencyservice": (100, 64),
    "emailservice": (100, 64), "frontend": (100, 64), "loadgenerator": (300, 256), "paymentservice": (100, 64),
    "productcatalogservice": (100, 64), "recommendationservice": (100, 220), "redis-cart": (70, 200),
    "shippingservice": (100, 64),
}  # fmt: skip
"""Requests in thousandths of a CPU and MiB: kubernetes-manifests of GoogleCloudPlatform/microservices-demo."""


def test_services_of_the_boutique_ask_for_what_their_manifests_ask_for() -> None:
    sizes = SIZE_LISTS["online-boutique"].sizes
    listed = {(one.resources["cpu"], one.resources["memory"] >> 20): one.share for one in sizes}
    assert listed == Counter(BOUTIQUE.values())

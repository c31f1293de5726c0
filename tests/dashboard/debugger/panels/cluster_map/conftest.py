"""A run on GPU and other nodes, whose pods ask for GPUs, and a pod that fits nowhere."""

from __future__ import annotations

import pytest

from dashboard.runs.models import Cycle
from tests.dashboard.debugger.conftest import page_of
from tests.dashboard.run_helpers import node, pod

MODEL, GPU = "nvidia.com/gpu.product", "nvidia.com/gpu"


def gpu_node(name, model, gpus, **labels):
    """Return a node with GPUs of a model."""
    made = node(name, "16", **{MODEL: model, **labels})
    made["status"]["allocatable"][GPU] = str(gpus)
    return made


def gpu_pod(name, gpus, cpu="1", **spec):
    """Return a pod that asks for GPUs."""
    made = pod(name, cpu, **spec)
    resources = made["spec"]["containers"][0]["resources"]
    resources["requests"][GPU] = str(gpus)
    resources["limits"] = {GPU: str(gpus)}
    return made


def gpu_scene():
    """Return twelve nodes, one model bound to be full, and pods that ask for GPUs, one for too many."""
    nodes = [
        *(gpu_node(f"t4-{n}", "T4", 2) for n in range(6)),
        *(gpu_node(f"a100-{n}", "A100", 8) for n in range(4)),
        *(node(f"cpu-{n}") for n in range(2)),
    ]
    bound = [gpu_pod(f"old-{n}", 2, nodeName=f"t4-{n}") | {"status": {"phase": "Running"}} for n in range(5)]
    return [*nodes, *bound, gpu_pod("one", 1), gpu_pod("many", 16), pod("plain", "4")]


@pytest.fixture
def gpu_run(execute):
    """The run of the scene."""
    return execute(gpu_scene(), slug="gpu", schedule="pending", once=True)


@pytest.fixture
def panel(gpu_run):
    """A function that returns the map at the end of a pod's first cycle: panel("one", map="cpu")."""

    def panel(name, **query):
        row = Cycle.objects.filter(run_id=gpu_run.pk, pod=f"default/{name}").order_by("number").first()
        return page_of(gpu_run, cycle=row.number, **query).map

    return panel

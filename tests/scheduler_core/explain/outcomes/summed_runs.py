"""Small runs and their summaries."""

from __future__ import annotations

from scheduler_core.api.objects import ClusterObjects
from scheduler_core.simulate import RunInputs
from scheduler_core.testing.builders import make_node, make_pod


def inputs_of(nodes, pods, **more):
    return RunInputs(objects=ClusterObjects(nodes=nodes, pods=pods), **more)


GPU = "example.com/gpu"


def gpu_node(name, model, cpu="16", gpus="4"):
    return make_node(name, cpu, "64Gi", labels={"model": model}, extended={GPU: gpus})


def asking(name, gpus="1", cpu="1", **more):
    return make_pod(name, cpu, extended={GPU: gpus}, **more)

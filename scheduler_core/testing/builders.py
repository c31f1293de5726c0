"""Builders of nodes, pods and clusters for tests: short calls in place of manifests."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from scheduler_core.api.objects import Container, Node, Pod
from scheduler_core.api.quantity import canonical
from scheduler_core.api.taints import Taint
from scheduler_core.columns.cluster import Cluster


def make_node(
    name: str,
    cpu: str = "4",
    memory: str = "8Gi",
    pods: int = 110,
    labels: Mapping[str, str] | None = None,
    **fields: Any,
) -> Node:
    """A node with the hostname label. Fields are those of Node; taints may be written ``key=value:Effect``, and
    ``extended`` holds more allocatable as quantities."""
    quantities = {"cpu": cpu, "memory": memory, **fields.pop("extended", {})}
    taints: Iterable[Taint | str] = fields.pop("taints", ())
    allocatable = resources(quantities) | {"pods": pods}
    return Node(
        name=name,
        labels={"kubernetes.io/hostname": name, **(labels or {})},
        taints=tuple(make_taint(t) if isinstance(t, str) else t for t in taints),
        allocatable=allocatable,
        capacity=allocatable,
        **fields,
    )


def make_taint(text: str) -> Taint:
    """The taint written ``key[=value]:Effect``."""
    pair, _, effect = text.rpartition(":")
    key, _, value = pair.partition("=")
    return Taint(key=key, value=value, effect=effect)


def make_pod(
    name: str,
    cpu: str | None = "100m",
    memory: str | None = None,
    *,
    extended: Mapping[str, str] | None = None,
    image: str = "",
    **fields: Any,
) -> Pod:
    """A pod of one container, unless ``containers`` is among the further fields of Pod; None requests nothing."""
    quantities = {key: value for key, value in (("cpu", cpu), ("memory", memory)) if value is not None}
    requests = resources({**quantities, **(extended or {})})
    fields.setdefault("containers", (Container(name="main", image=image, requests=requests),))
    fields.setdefault("uid", f"uid-{fields.get('namespace', 'default')}-{name}")
    return Pod(name=name, **fields)


def resources(quantities: Mapping[str, str]) -> dict[str, int]:
    """Canonical integers of quantities by resource name. Raises QuantityError."""
    return {name: canonical(name, text) for name, text in quantities.items()}


def make_cluster(
    nodes: Iterable[Node], placed: Mapping[str, Iterable[Pod]] | None = None, objects: Iterable[Any] = ()
) -> Cluster:
    """A cluster of these nodes, with the pods placed by node name; ``objects`` go to the listers."""
    cluster = Cluster()
    for node in nodes:
        cluster.put_node(node)
    for obj in objects:
        cluster.listers.put(obj)
    for node_name, pods in (placed or {}).items():
        for pod in pods:
            cluster.put_pod(cluster.info(pod), node_name)
    return cluster

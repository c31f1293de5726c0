"""The map as data for the drawing script: short JSON, one small number per node or pod and figure."""

from __future__ import annotations

import base64
import re
import zlib
from typing import TYPE_CHECKING, Any

import numpy as np

from dashboard.clusters.map.cluster_map import requested_amount
from dashboard.common.pages.numbers import amount

if TYPE_CHECKING:
    from collections.abc import Collection, Hashable, Sequence

    from dashboard.clusters.map.cluster_map import ClusterMap
    from dashboard.clusters.revisions.object_rows import PodRow

# A part of the ETag: a browser must not use cached data of another format.
FORMAT = 2


def map_json(shown: ClusterMap, version: str, added: Collection[str] = ()) -> dict[str, Any]:
    """Return the map of all nodes, in natural order of their names; indexes refer to this order.

    `added` are the names of the nodes that are new in a draft; they are sent as indexes, as cordoned ones are.
    `allocatable` and `requested` have one column (`column`) per resource, in the core's integers, with `words`.
    `groups` are columns of the names of zones and pools, `orders` the indexes of nodes in the order of each grouping.
    `pods` are the tiles: `counts` is the number of pods of each node, `requests` one column over all pods, node by
    node, whose values are lists of amounts by resource.
    """
    names = [one.name for one in shown.resources]
    nodes = shown.nodes
    pods = [pod for node in nodes for pod in shown.pods_on(node.name)]
    return {
        "version": version,
        "nodes": [node.name for node in nodes],
        "added": [place for place, node in enumerate(nodes) if node.name in added],
        "cordoned": [place for place, node in enumerate(nodes) if node.is_cordoned],
        "resources": [
            {
                "name": one.name,
                "requested": one.requested,
                "allocatable": one.allocatable,
                "words": f"{amount(one.requested, one.name)} of {amount(one.allocatable, one.name)}",
            }
            for one in shown.resources
        ],
        "allocatable": [_amounts([node.allocatable.get(name, 0) for node in nodes], name) for name in names],
        "requested": [_amounts([requested_amount(node, name) for node in nodes], name) for name in names],
        "orders": {name: packed(shown.ordered(name)) for name in (*shown.groupings, "none")},
        "groups": {name: column(values) for name, values in shown.groupings.items()},
        "pods": {
            "counts": column([len(shown.pods_on(node.name)) for node in nodes]),
            "requests": _tiles(pods, names),
        },
    }


def pod_names_json(shown: ClusterMap, version: str) -> dict[str, Any]:
    """Return the namespace/name of each tile's pod, in the order of the tiles: {"version", "pods"}."""
    return {
        "version": version,
        "pods": [f"{pod.namespace}/{pod.name}" for node in shown.nodes for pod in shown.pods_on(node.name)],
    }


def _amounts(values: Sequence[int], resource: str) -> dict[str, Any]:
    """A column of amounts with `words`: each distinct amount as Kubernetes writes it."""
    distinct = column(values)
    return {**distinct, "words": [amount(value, resource) for value in distinct["values"]]}


def _tiles(pods: Sequence[PodRow], names: Sequence[str]) -> dict[str, Any]:
    # Most pods request the same as another one: comparing a dict is many times faster than looking up its resources.
    requests_of: dict[tuple[tuple[str, int], ...], tuple[int, ...]] = {}
    amounts = []
    for pod in pods:
        written = tuple(pod.requests.items())
        if written not in requests_of:
            requests_of[written] = _requests(pod, names)
        amounts.append(requests_of[written])
    distinct = column(amounts)
    texts = [
        ", ".join(
            f"{amount(value, name)} {name}" for name, value in zip(names, one, strict=True) if value and name != "pods"
        )
        for one in distinct["values"]
    ]
    return {**distinct, "words": texts}


def _requests(pod: PodRow, names: Sequence[str]) -> tuple[int, ...]:
    return tuple([1 if name == "pods" else pod.requests.get(name, 0) for name in names])


def column(values: Sequence[Hashable]) -> dict[str, Any]:
    """Return {values: distinct values, index: base64 of little-endian integers, bytes: 1, 2 or 4 for each}."""
    place_of: dict[Hashable, int] = {}
    index = [place_of.setdefault(value, len(place_of)) for value in values]
    return {"values": list(place_of), **packed(index)}


def packed(numbers: Sequence[int]) -> dict[str, Any]:
    """Return {index: base64 of little-endian unsigned integers, bytes: 1, 2 or 4 for each}."""
    most = max(numbers, default=0)
    size = 1 if most < 1 << 8 else 2 if most < 1 << 16 else 4
    return {"index": base64.b64encode(np.array(numbers, dtype=np.dtype(f"<u{size}")).tobytes()).decode(), "bytes": size}


def map_etag(version: str, part: str, added: Collection[str] = ()) -> str:
    """Return the ETag of a response: the same as long as the objects, and those of them that are new, are the same."""
    new = f"-{zlib.crc32(','.join(sorted(added)).encode()):x}" if added else ""
    return f'"map-{FORMAT}-{re.sub(r"[^A-Za-z0-9-]", "", version)}-{part}{new}"'

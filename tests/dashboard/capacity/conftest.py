"""A small shop: two pools, pods that find no node, one that waits for a gate."""

from __future__ import annotations

import pytest

from tests.dashboard.run_helpers import node, pod
from tests.dashboard.runs.conftest import save

__all__ = ["save"]

POOL = "cloud.google.com/gke-nodepool"
RUNNING = {"status": {"phase": "Running"}}


def owned(name: str, cpu: str, owner: str, **spec):
    """A pod of a ReplicaSet."""
    reference = {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": owner, "uid": owner, "controller": True}
    made = pod(name, cpu, **spec)
    made["metadata"] |= {"ownerReferences": [reference], "labels": {"app": owner}}
    return made | (RUNNING if spec.get("nodeName") else {})


def shop():
    """`general` has 4 cpu a node, `gpu` a taint; `etl` lacks cpu, `cart` is small."""
    nodes = [node(f"g-{n}", "4") for n in range(2)] + [node("t-0", "4")]
    for one in nodes:
        one["metadata"]["labels"] = {POOL: "general" if one["metadata"]["name"] != "t-0" else "gpu"}
    nodes[2]["spec"] = {"taints": [{"key": "gpu", "value": "yes", "effect": "NoSchedule"}]}
    pods = [owned("web-0", "3", "web", nodeName="g-0"), owned("web-1", "3", "web", nodeName="g-1")]
    pods += [owned("cart-0", "500m", "cart", nodeName="g-0")]
    pods += [owned(f"etl-{n}", "2", "etl") for n in range(3)]
    gated = owned("canary", "100m", "canary", schedulingGates=[{"name": "shop.example/canary"}])
    return [*nodes, *pods, gated]


@pytest.fixture
def cluster(save):
    """The revision."""
    return save(shop())

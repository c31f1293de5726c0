"""Short calls give whole objects: quantities as canonical integers, taints as people write them."""

from __future__ import annotations

import pytest

from scheduler_core.api.quantity import QuantityError
from scheduler_core.api.taints import Taint
from scheduler_core.testing.builders import make_cluster, make_node, make_pod, make_taint


def test_a_node_has_its_hostname_and_canonical_amounts():
    node = make_node("n", cpu="1500m", memory="1Gi", labels={"zone": "a"}, extended={"nvidia.com/gpu": "2"})
    assert node.labels == {"kubernetes.io/hostname": "n", "zone": "a"}
    assert node.allocatable == {"cpu": 1500, "memory": 1 << 30, "nvidia.com/gpu": 2, "pods": 110}
    assert node.capacity == node.allocatable


@pytest.mark.parametrize(
    ("text", "taint"),
    [
        ("gpu=yes:NoSchedule", Taint(key="gpu", value="yes", effect="NoSchedule")),
        ("spot:NoExecute", Taint(key="spot", value="", effect="NoExecute")),
    ],
)
def test_a_taint_is_read_as_people_write_it(text, taint):
    assert make_taint(text) == taint
    assert make_node("n", taints=[text]).taints == (taint,)


def test_a_pod_asks_for_what_is_said_and_none_asks_for_nothing():
    assert make_pod("p", "250m", "64Mi").containers[0].requests == {"cpu": 250, "memory": 64 << 20}
    assert make_pod("p", None).containers[0].requests == {}
    assert make_pod("p", namespace="a").uid != make_pod("p", namespace="b").uid
    with pytest.raises(QuantityError):
        make_pod("p", "much")


def test_a_cluster_has_its_pods_on_their_nodes():
    cluster = make_cluster([make_node("a"), make_node("b")], {"b": [make_pod("p")]})
    row = cluster.table.row_of["b"]
    assert [info.pod.name for info in cluster.pods_on(row).values()] == ["p"]
    assert not cluster.pods_on(cluster.table.row_of["a"])

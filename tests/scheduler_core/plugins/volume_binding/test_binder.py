"""Which volumes and nodes go together (pkg/scheduler/framework/plugins/volumebinding/binder.go)."""

from __future__ import annotations

from typing import Any

import pytest

from scheduler_core.api.labels import LabelSelector, Requirement
from scheduler_core.api.objects import (
    CSIDriver,
    CSINode,
)
from scheduler_core.framework.contracts.status import SUCCESS, Status, error, unresolvable
from scheduler_core.framework.plugin_helpers.volume_claims import BETA_STORAGE_CLASS, SELECTED_NODE
from scheduler_core.plugins.volume_binding.binder import BIND_CONFLICT, NODE_CONFLICT, NOT_ENOUGH_SPACE, VOLUME_MISSING
from scheduler_core.testing.agreement import assert_filters_agree
from scheduler_core.testing.builders import make_cluster, make_node
from tests.scheduler_core.plugins.volume_binding.volumes_of_a_pod import ONLY_1, capacity, make, plugin_on
from tests.scheduler_core.plugins.volume_objects import (
    CLASSES,
    GI,
    bound_claim,
    claim,
    pod_with,
    selector,
    volume,
)

NO = unresolvable(BIND_CONFLICT)
HEEDED = CSIDriver(name="csi.example.com", storage_capacity=True)
PICKY = LabelSelector((Requirement("tier", "In", ("fast", "faster")), Requirement("old", "DoesNotExist")))


@pytest.mark.parametrize(
    ("objects", "expected"),
    [
        pytest.param([bound_claim("c", "v"), volume("v", on="a")], [SUCCESS, unresolvable(NODE_CONFLICT)], id="bound"),
        pytest.param([bound_claim("c", "v")], [unresolvable(VOLUME_MISSING)] * 2, id="bound to a missing volume"),
        pytest.param([claim("c", "local"), volume("v", on="a")], [SUCCESS, NO], id="a volume on one node"),
        pytest.param([claim("c", "local", gi=2), volume("v", on="a")], [NO, NO], id="a volume that is too small"),
        pytest.param(
            [claim("c", "local", access_modes=("ReadWriteMany",)), volume("v")], [NO, NO], id="other access modes"
        ),
        pytest.param([claim("c", "local"), volume("v", volume_mode="Block")], [NO, NO], id="another volume mode"),
        pytest.param(
            [claim("c", "local", attributes_class_name="gold"), volume("v")], [NO, NO], id="no attributes class"
        ),
        pytest.param(
            [claim("c", "local"), volume("v", attributes_class_name="gold")], [NO, NO], id="an attributes class"
        ),
        pytest.param(
            [claim("c", "local", attributes_class_name="gold"), volume("v", attributes_class_name="gold", on="b")],
            [NO, SUCCESS], id="the same attributes class",
        ),
        pytest.param(
            [claim("c", "local", attributes_class_name="gold"),
             volume("v", claim_ref=("default", "c", ""), attributes_class_name="silver")],
            [NO, NO], id="another attributes class of a volume meant for the claim",
        ),
        pytest.param(
            [claim("c", "local", selector=PICKY), volume("v", labels={"tier": "slow"}),
             volume("w", labels={"tier": "fast"}, on="b")],
            [NO, SUCCESS], id="a selector with expressions",
        ),
        pytest.param(
            [claim("c", "local", selector=PICKY), volume("v", labels={"tier": "fast", "old": ""})],
            [NO, NO], id="a selector with an expression that fails",
        ),
        pytest.param(
            [claim("c", "none", annotations={BETA_STORAGE_CLASS: "local"}),
             volume("v", "", annotations={BETA_STORAGE_CLASS: "local"})],
            [SUCCESS, SUCCESS], id="classes named by the legacy annotation",
        ),
        pytest.param([claim("c", "local"), volume("v", phase="Released")], [NO, NO], id="a volume not available"),
        pytest.param([claim("c", "local"), volume("v", deletion_timestamp=1.0)], [NO, NO], id="a volume that goes"),
        pytest.param(
            [claim("c", "local"), volume("v", claim_ref=("default", "x", ""))], [NO, NO], id="another claim's volume"
        ),
        pytest.param(
            [claim("c", "local"), volume("v", on="b", claim_ref=("default", "c", ""), phase="Bound"), volume("w")],
            [NO, SUCCESS], id="a volume meant for the claim is the only choice",
        ),
        pytest.param([claim("c")], [SUCCESS, SUCCESS], id="a volume can be provisioned"),
        pytest.param([claim("c", "zoned"), ONLY_1], [SUCCESS, NO], id="allowed topologies"),
        pytest.param([claim("c", annotations={SELECTED_NODE: "b"})], [NO, SUCCESS], id="a node was selected before"),
        pytest.param(
            [claim("c"), HEEDED, capacity(1, "1")], [SUCCESS, unresolvable(NOT_ENOUGH_SPACE)], id="capacity in a zone"
        ),
        pytest.param(
            [claim("c", gi=5), HEEDED, capacity(9, "1", maximum_volume_size_bytes=GI)],
            [unresolvable(NOT_ENOUGH_SPACE)] * 2, id="the largest volume counts before the capacity",
        ),
        pytest.param([claim("c"), capacity(0, "1")], [SUCCESS, SUCCESS], id="capacity of a driver that does not care"),
    ],
)  # fmt: skip
def test_filter(objects: list[Any], expected: list[Status]) -> None:
    cluster = make(*objects)
    assert assert_filters_agree(plugin_on(cluster), cluster.info(pod_with("c")), cluster.table.order) == expected


GCE_ZONES = [make_node("a", labels={"topology.gke.io/zone": "us-a1-b"}), make_node("b"), make_node("c")]
MIGRATED = [CSINode(name=n, migrated_plugins=("kubernetes.io/gce-pd", "kubernetes.io/vsphere-volume")) for n in "ab"]
IN_B = {"topology.kubernetes.io/zone": "us-a1-b"}


def judge_in_tree(source: str, **fields: Any) -> list[Status] | None:
    """The verdicts on nodes a and b, which are migrated and of which a has the driver's label, and c, which is not."""
    bound = [bound_claim("c", "v"), volume("v", source=source, **fields)]
    cluster = make_cluster(GCE_ZONES, objects=[*CLASSES, *MIGRATED, *bound])
    return assert_filters_agree(plugin_on(cluster), cluster.info(pod_with("c")), cluster.table.order)


def test_a_volume_of_a_migrated_plugin_needs_the_label_of_its_driver() -> None:
    refused = unresolvable(NODE_CONFLICT)
    assert judge_in_tree("gcePersistentDisk", labels=IN_B) == [SUCCESS, refused, SUCCESS]
    assert judge_in_tree("awsElasticBlockStore", labels=IN_B) == [SUCCESS] * 3, "not migrated here"
    assert judge_in_tree("vsphereVolume", labels=IN_B) == [SUCCESS] * 3, "never translated"


def test_the_topology_as_written_counts_where_the_plugin_is_not_migrated() -> None:
    refused = unresolvable(NODE_CONFLICT)
    written = selector("topology.kubernetes.io/zone", "us-a1-b")
    assert judge_in_tree("gcePersistentDisk", node_affinity=written) == [SUCCESS, refused, refused]


def test_a_volume_that_no_driver_can_know_is_an_error_where_its_plugin_is_migrated() -> None:
    problem = error(
        "could not translate pv: failed to get region from zones: "
        "multiple or no regions gotten from zones, got: map[us-a1:{} us-a2:{}]"
    )
    labels = {"topology.kubernetes.io/zone": "us-a1-b__us-a2-b"}
    assert judge_in_tree("gcePersistentDisk", labels=labels) == [problem, problem, SUCCESS]


def test_nodes_that_are_migrated_later_are_seen() -> None:
    bound = [bound_claim("c", "v"), volume("v", source="gcePersistentDisk", labels=IN_B)]
    cluster = make_cluster(GCE_ZONES, objects=[*CLASSES, *bound])
    plugin, pod = plugin_on(cluster), cluster.info(pod_with("c"))
    assert assert_filters_agree(plugin, pod, cluster.table.order) == [SUCCESS] * 3
    cluster.listers.put(MIGRATED[1])
    assert assert_filters_agree(plugin, pod, cluster.table.order) == [SUCCESS, unresolvable(NODE_CONFLICT), SUCCESS]


def test_claims_do_not_share_a_volume_and_smaller_ones_choose_first() -> None:
    cluster = make(claim("big", "local", gi=5), claim("small", "local"), volume("v5", gi=5), volume("v9", gi=9, on="a"))
    assert assert_filters_agree(plugin_on(cluster), cluster.info(pod_with("big", "small")), cluster.table.order) == [
        SUCCESS,
        NO,
    ]


def test_bound_and_unbound_conflicts_are_both_named() -> None:
    cluster = make(bound_claim("c", "v"), volume("v", on="a", phase="Bound"), claim("d", "local"))
    statuses = assert_filters_agree(plugin_on(cluster), cluster.info(pod_with("c", "d")), cluster.table.order)
    assert statuses == [NO, unresolvable(NODE_CONFLICT, BIND_CONFLICT)]

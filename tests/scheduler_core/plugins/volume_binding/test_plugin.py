"""VolumeBinding against plugins/volumebinding: refusals, static and dynamic binding, Reserve and its undoing."""

from __future__ import annotations

import random
from typing import Any

import msgspec
import pytest

from scheduler_core.api.labels import LabelSelector, Requirement
from scheduler_core.api.objects import (
    CSIDriver,
    CSINode,
    CSIStorageCapacity,
    OwnerReference,
    StorageClass,
    TopologySelectorTerm,
    Volume,
)
from scheduler_core.columns.cluster import Cluster
from scheduler_core.framework.contracts.cycle_state import CycleState
from scheduler_core.framework.contracts.events import Hint
from scheduler_core.framework.contracts.status import SKIP, SUCCESS, Status, error, unresolvable
from scheduler_core.framework.plugin_helpers.volume_claims import BETA_STORAGE_CLASS, SELECTED_NODE
from scheduler_core.plugins.volume_binding import VolumeBinding
from scheduler_core.plugins.volume_binding.binder import BIND_CONFLICT, NODE_CONFLICT, NOT_ENOUGH_SPACE, VOLUME_MISSING
from scheduler_core.plugins.volume_binding.plugin import UNBOUND_IMMEDIATE, VolumeBindingArgs
from scheduler_core.testing.agreement import assert_filters_agree
from scheduler_core.testing.builders import make_cluster, make_node, make_pod
from scheduler_core.testing.fake_handle import FakeHandle
from tests.scheduler_core.plugins.hints import (
    CAPACITY_UPDATE,
    CLAIM_UPDATE,
    CLASS_UPDATE,
    CSI_DRIVER_UPDATE,
    CSI_NODE_UPDATE,
    ask,
)
from tests.scheduler_core.plugins.volume_objects import (
    CLASSES,
    DELAYED,
    GI,
    bound_claim,
    claim,
    ephemeral_pod,
    pod_with,
    selector,
    volume,
)

NODES = [make_node("a", labels={"zone": "1"}), make_node("b", labels={"zone": "2"})]
NO = unresolvable(BIND_CONFLICT)


def plugin_on(cluster: Cluster) -> VolumeBinding:
    return VolumeBinding(VolumeBindingArgs(), FakeHandle(cluster))


def make(*objects: Any) -> Cluster:
    return make_cluster(NODES, objects=[*CLASSES, *objects])


@pytest.mark.parametrize(
    ("objects", "expected"),
    [
        pytest.param([], 'persistentvolumeclaim "c" not found', id="a missing claim"),
        pytest.param(
            [claim("c", phase="Lost", volume_name="v")],
            'persistentvolumeclaim "c" bound to non-existent persistentvolume "v"', id="a lost claim",
        ),
        pytest.param(
            [claim("c", deletion_timestamp=1.0)], 'persistentvolumeclaim "c" is being deleted', id="a claim that goes"
        ),
        pytest.param([claim("c", "immediate")], UNBOUND_IMMEDIATE, id="an unbound claim of an immediate class"),
        pytest.param([claim("c", "nowhere")], UNBOUND_IMMEDIATE, id="an unbound claim of an unknown class"),
        pytest.param([claim("c", volume_name="v")], UNBOUND_IMMEDIATE, id="a claim that is bound from one side only"),
    ],
)  # fmt: skip
def test_claims_that_refuse_the_pod(objects: list[Any], expected: str) -> None:
    cluster = make(*objects)
    assert plugin_on(cluster).pre_filter(CycleState(), cluster.info(pod_with("c"))).status == unresolvable(expected)


def test_pods_without_claims_are_skipped() -> None:
    cluster = make()
    assert plugin_on(cluster).pre_filter(CycleState(), cluster.info(make_pod("p"))).status == SKIP


def test_ephemeral_claims_must_exist_and_be_the_pods_own() -> None:
    owner = OwnerReference(kind="Pod", name="p", uid="uid-default-p", controller=True)
    cases: list[tuple[list[Any], str]] = [
        ([], 'waiting for ephemeral volume controller to create the persistentvolumeclaim "p-scratch"'),
        ([claim("p-scratch")], "PVC default/p-scratch was not created for pod default/p (pod is not owner)"),
    ]
    for objects, text in cases:
        cluster = make(*objects)
        assert plugin_on(cluster).pre_filter(CycleState(), cluster.info(ephemeral_pod())).status == unresolvable(text)
    cluster = make(claim("p-scratch", owner_references=(owner,)))
    assert plugin_on(cluster).pre_filter(CycleState(), cluster.info(ephemeral_pod())).status == SUCCESS


ONLY_1 = StorageClass(
    name="zoned", provisioner="csi.example.com", volume_binding_mode="WaitForFirstConsumer",
    allowed_topologies=(TopologySelectorTerm((("zone", ("1",)),)),),
)  # fmt: skip
HEEDED = CSIDriver(name="csi.example.com", storage_capacity=True)


PICKY = LabelSelector((Requirement("tier", "In", ("fast", "faster")), Requirement("old", "DoesNotExist")))


def capacity(gi: int, zone: str, **fields: Any) -> CSIStorageCapacity:
    topology = LabelSelector((Requirement("zone", "In", (zone,)),))
    return CSIStorageCapacity(
        name="cap", storage_class_name="delayed", node_topology=topology, capacity_bytes=gi * GI, **fields
    )


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


def test_reserve_takes_a_volume_and_unreserve_gives_it_back() -> None:
    cluster = make(claim("c", "local"), claim("d", "local"), volume("v", on="a"))
    plugin, rows, cycle = plugin_on(cluster), cluster.table.order, CycleState()
    one, other = cluster.info(pod_with("c", name="one")), cluster.info(pod_with("d", name="other"))
    plugin.pre_filter(cycle, one)
    assert plugin.reserve(cycle, one, "a") == SUCCESS
    assert assert_filters_agree(plugin, one, rows) == [SUCCESS, NO]
    assert assert_filters_agree(plugin, other, rows) == [NO, NO]
    plugin.unreserve(cycle, one, "a")
    plugin.unreserve(cycle, one, "a")
    assert assert_filters_agree(plugin, other, rows) == [SUCCESS, NO]
    assert plugin.dump() == {"volumes": {}, "claims": {}}


def test_reserve_selects_the_node_for_a_claim_to_provision_and_survives_saving() -> None:
    cluster = make(claim("c"))
    plugin, pod = plugin_on(cluster), cluster.info(pod_with("c"))
    assert plugin.reserve(CycleState(), pod, "b") == SUCCESS
    restored = plugin_on(cluster)
    restored.load(msgspec.json.decode(msgspec.json.encode(plugin.dump())))
    for each in (plugin, restored):
        assert assert_filters_agree(each, pod, cluster.table.order) == [NO, SUCCESS]


def test_an_assumption_ends_when_the_cluster_replaces_the_object() -> None:
    cluster = make(claim("c"))
    plugin, pod = plugin_on(cluster), cluster.info(pod_with("c"))
    plugin.reserve(CycleState(), pod, "b")
    cluster.listers.put(claim("c"))
    assert assert_filters_agree(plugin, pod, cluster.table.order) == [SUCCESS, SUCCESS]


def test_reserve_of_bound_claims_changes_nothing() -> None:
    cluster = make(bound_claim("c", "v"), volume("v"))
    plugin, cycle = plugin_on(cluster), CycleState()
    assert plugin.reserve(cycle, cluster.info(pod_with("c")), "a") == SUCCESS
    assert plugin.dump() == {"volumes": {}, "claims": {}}


@pytest.mark.parametrize("seed", range(10))
def test_both_forms_agree_on_generated_clusters(seed: int) -> None:
    draw = random.Random(seed)
    nodes = [make_node(f"n{i}", labels={"zone": draw.choice("123")}) for i in range(16)]
    volumes = [volume(f"v{i}", gi=draw.randrange(1, 4), on=f"n{draw.randrange(16)}") for i in range(14)]
    claims = [claim("c", "local"), claim("d", draw.choice(("local", "zoned", "delayed"))), bound_claim("e", "v0")]
    cluster = make_cluster(nodes, objects=[*CLASSES, ONLY_1, HEEDED, capacity(1, "2"), *volumes, *claims])
    plugin = plugin_on(cluster)
    for names in (("c",), ("c", "d"), ("d", "e"), ("e",)):
        assert assert_filters_agree(plugin, cluster.info(pod_with(*names)), cluster.table.order) is not None


@pytest.mark.parametrize("raw", [{"bind_timeout_seconds": -1}, {"shape": [{"utilization": 0, "score": 1}]}])
def test_bad_arguments_are_refused(raw: dict[str, Any]) -> None:
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert(raw, VolumeBindingArgs)


def test_hints() -> None:
    plugin, pod = plugin_on(make()), pod_with("c")
    assert ask(plugin, CLASS_UPDATE, pod, DELAYED, msgspec.structs.replace(DELAYED, is_default=True)) is Hint.SKIP
    assert ask(plugin, CLASS_UPDATE, pod, DELAYED, ONLY_1) is Hint.QUEUE
    assert ask(plugin, CLAIM_UPDATE, pod, claim("c"), claim("c")) is Hint.QUEUE
    assert ask(plugin, CLAIM_UPDATE, pod, claim("d"), claim("d")) is Hint.SKIP
    migrated = CSINode(name="n", migrated_plugins=("kubernetes.io/gce-pd",))
    assert ask(plugin, CSI_NODE_UPDATE, pod, CSINode(name="n"), migrated) is Hint.QUEUE
    assert ask(plugin, CSI_NODE_UPDATE, pod, migrated, migrated) is Hint.SKIP
    inline = make_pod("p", volumes=(Volume(name="v", source="csi", attributes={"driver": HEEDED.name}),))
    assert ask(plugin, CSI_DRIVER_UPDATE, inline, HEEDED, CSIDriver(name=HEEDED.name)) is Hint.QUEUE
    assert ask(plugin, CSI_DRIVER_UPDATE, pod, HEEDED, CSIDriver(name=HEEDED.name)) is Hint.SKIP
    assert ask(plugin, CAPACITY_UPDATE, pod, capacity(1, "1"), capacity(2, "1")) is Hint.QUEUE
    assert ask(plugin, CAPACITY_UPDATE, pod, capacity(2, "1"), capacity(1, "1")) is Hint.SKIP

"""VolumeBinding against plugins/volumebinding: refusals, static and dynamic binding, Reserve and its undoing."""

from __future__ import annotations

import random
from typing import Any

import msgspec
import pytest

from scheduler_core.api.objects import (
    CSIDriver,
    CSINode,
    Volume,
)
from scheduler_core.framework.contracts.cycle_state import CycleState
from scheduler_core.framework.contracts.events import Hint
from scheduler_core.framework.contracts.status import SKIP, SUCCESS, unresolvable
from scheduler_core.plugins.volume_binding.binder import BIND_CONFLICT
from scheduler_core.plugins.volume_binding.plugin import VolumeBindingArgs
from scheduler_core.testing.agreement import assert_filters_agree
from scheduler_core.testing.builders import make_cluster, make_node, make_pod
from tests.scheduler_core.plugins.hints import (
    CAPACITY_UPDATE,
    CLAIM_UPDATE,
    CLASS_UPDATE,
    CSI_DRIVER_UPDATE,
    CSI_NODE_UPDATE,
    ask,
)
from tests.scheduler_core.plugins.volume_binding.volumes_of_a_pod import ONLY_1, capacity, make, plugin_on
from tests.scheduler_core.plugins.volume_objects import (
    CLASSES,
    DELAYED,
    bound_claim,
    claim,
    pod_with,
    volume,
)

NO = unresolvable(BIND_CONFLICT)


def test_pods_without_claims_are_skipped() -> None:
    cluster = make()
    assert plugin_on(cluster).pre_filter(CycleState(), cluster.info(make_pod("p"))).status == SKIP


HEEDED = CSIDriver(name="csi.example.com", storage_capacity=True)


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

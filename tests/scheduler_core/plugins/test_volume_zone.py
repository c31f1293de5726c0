"""VolumeZone against plugins/volumezone."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from scheduler_core.framework.contracts.cycle_state import CycleState
from scheduler_core.framework.contracts.events import Hint
from scheduler_core.framework.contracts.plugin import NoArgs
from scheduler_core.framework.contracts.status import SKIP, SUCCESS, unresolvable
from scheduler_core.plugins.volume_zone import REASON, VolumeZone
from scheduler_core.testing.agreement import assert_filters_agree
from scheduler_core.testing.builders import make_cluster, make_node
from scheduler_core.testing.fake_handle import FakeHandle
from tests.scheduler_core.plugins.hints import CLAIM_UPDATE, CLASS_ADD, VOLUME_UPDATE, ask
from tests.scheduler_core.plugins.volume_objects import (
    CLASSES,
    DELAYED,
    IMMEDIATE,
    bound_claim,
    claim,
    pod_with,
    volume,
)

ZONE, BETA = "topology.kubernetes.io/zone", "failure-domain.beta.kubernetes.io/zone"
NODES = [make_node("a", labels={ZONE: "a"}), make_node("old", labels={BETA: "a"}), make_node("bare")]
NO = unresolvable(REASON)


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        pytest.param({ZONE: "a"}, [SUCCESS, NO, SUCCESS], id="the zone must match, a node without zones takes all"),
        pytest.param({ZONE: "b"}, [NO, NO, SUCCESS], id="another zone"),
        pytest.param({ZONE: "b__a"}, [SUCCESS, NO, SUCCESS], id="one of several zones"),
        pytest.param({BETA: "a"}, [SUCCESS, SUCCESS, SUCCESS], id="a beta label is looked for under both names"),
        pytest.param({ZONE: "a__"}, None, id="a label with an empty zone is ignored"),
        pytest.param({}, None, id="no label, no restriction"),
    ],
)
def test_filter(labels: dict[str, str], expected: list[object] | None) -> None:
    cluster = make_cluster(NODES, objects=[bound_claim("c", "v"), volume("v", labels=labels)])
    plugin = VolumeZone(NoArgs(), FakeHandle(cluster))
    rows = np.array([cluster.table.row_of[node.name] for node in NODES], dtype=np.int64)
    assert assert_filters_agree(plugin, cluster.info(pod_with("c")), rows) == expected


@pytest.mark.parametrize(
    ("objects", "expected"),
    [
        pytest.param([], 'persistentvolumeclaim "c" not found', id="missing claim"),
        pytest.param([claim("c", "")], "PersistentVolumeClaim had no pv name and storageClass name", id="no class"),
        pytest.param([claim("c", "x")], 'storageclass.storage.k8s.io "x" not found', id="missing class"),
        pytest.param([claim("c", "immediate")], "PersistentVolume had no name", id="unbound immediate claim"),
        pytest.param([claim("c", "delayed")], None, id="unbound delayed claim"),
        pytest.param([bound_claim("c", "v")], 'persistentvolume "v" not found', id="missing volume"),
    ],
)
def test_pre_filter(objects: list[Any], expected: str | None) -> None:
    cluster = make_cluster(NODES, objects=[*CLASSES, *objects])
    status = VolumeZone(NoArgs(), FakeHandle(cluster)).pre_filter(CycleState(), cluster.info(pod_with("c"))).status
    assert status == (SKIP if expected is None else unresolvable(expected))


def test_hints() -> None:
    plugin, pod = VolumeZone(NoArgs(), FakeHandle()), pod_with("c")
    assert ask(plugin, CLASS_ADD, pod, None, DELAYED) is Hint.QUEUE
    assert ask(plugin, CLASS_ADD, pod, None, IMMEDIATE) is Hint.SKIP
    assert ask(plugin, CLAIM_UPDATE, pod, claim("c"), bound_claim("c", "v")) is Hint.QUEUE
    assert ask(plugin, CLAIM_UPDATE, pod, claim("d"), claim("d")) is Hint.SKIP
    a, b = volume("v", labels={ZONE: "a"}), volume("v", labels={ZONE: "b"})
    assert ask(plugin, VOLUME_UPDATE, pod, a, b) is Hint.QUEUE
    assert ask(plugin, VOLUME_UPDATE, pod, a, volume("v", labels={ZONE: "a"}, phase="Bound")) is Hint.SKIP

"""Soft constraints: scores, defaults of a Service and of controllers."""

from __future__ import annotations

import math

import numpy as np
import pytest

from scheduler_core.api.objects import OwnerReference, WorkloadSelector
from scheduler_core.framework.contracts.cycle_state import CycleState
from scheduler_core.framework.contracts.normalizers import normalize
from scheduler_core.plugins.pod_topology_spread import PodTopologySpread
from scheduler_core.plugins.pod_topology_spread.common import PodTopologySpreadArgs
from scheduler_core.plugins.pod_topology_spread.scoring import natural_log
from scheduler_core.testing.builders import make_cluster, make_pod
from scheduler_core.testing.fake_handle import FakeHandle
from tests.scheduler_core.plugins.generated import app_is
from tests.scheduler_core.plugins.pod_topology_spread.zones import WEB, spread_by, web_pods, zoned_nodes

TWO_IN_A = {"a1": web_pods("w1", "w2")}


def scores(cluster, pod, rows=None, args=None):
    plugin = PodTopologySpread(args or PodTopologySpreadArgs(), FakeHandle(cluster))
    info, rows = cluster.info(pod), cluster.table.order if rows is None else rows
    result = plugin.pre_score(CycleState(), info, rows)
    if result.status.is_skip:
        return None
    raw = plugin.score(result.state, info, rows)
    normal = normalize(plugin.normalize(result.state, info, rows, raw), raw)
    return {
        cluster.name_of(row): (r, n) for row, r, n in zip(rows.tolist(), raw.tolist(), normal.tolist(), strict=True)
    }


def test_an_own_soft_constraint_ignores_nodes_without_the_label():
    cluster = make_cluster(zoned_nodes(), TWO_IN_A)
    score_of = scores(
        cluster, make_pod("p", labels=WEB, topology_spread_constraints=(spread_by(action="ScheduleAnyway"),))
    )
    # zone a: 2 * ln(2 zones + 2) = 2.77 -> 3; zone b: 0; normalised 100 * (3 + 0 - s) / 3
    assert score_of == {"a1": (3, 0), "a2": (3, 0), "b1": (0, 100), "b2": (0, 100), "none": (-1, 0)}


def test_system_defaults_apply_to_pods_of_a_service_and_keep_nodes_without_a_zone():
    service = WorkloadSelector(kind="Service", name="web", selector=app_is("web"))
    cluster = make_cluster(zoned_nodes(), TWO_IN_A, [service])
    assert scores(cluster, make_pod("other", labels={"app": "db"})) is None
    score_of = scores(cluster, make_pod("p", labels=WEB))
    # hostname: ln(5 + 2), shift 2; zone: ln(3 values, the missing one among them, + 2), shift 4
    assert {name: raw for name, (raw, _) in score_of.items()} == {
        "a1": round(2 * math.log(7) + 2 + 2 * math.log(5) + 4), "a2": round(2 + 2 * math.log(5) + 4),
        "b1": 6, "b2": 6, "none": 2,
    }  # fmt: skip


@pytest.mark.parametrize("kind", ["ReplicationController", "ReplicaSet", "StatefulSet"])
def test_defaults_also_come_from_the_pods_controller(kind):
    owner = WorkloadSelector(kind=kind, name="web", selector=app_is("web"))
    cluster = make_cluster(zoned_nodes(), TWO_IN_A, [owner])
    owned = (OwnerReference(kind, "web", controller=True),)
    assert scores(cluster, make_pod("p", labels=WEB, owner_references=owned)) is not None
    assert scores(cluster, make_pod("p", labels=WEB, owner_references=(OwnerReference(kind, "web"),))) is None


def test_the_logarithm_is_that_of_the_reference():
    ours = [natural_log(n) for n in range(2, 6000)]
    assert np.allclose(ours, np.log(np.arange(2, 6000)), rtol=3e-16, atol=0)
    assert natural_log(1) == 0.0

"""Volumes that were assumed to be bound."""

from __future__ import annotations

from scheduler_core.framework.contracts.cycle_state import CycleState
from scheduler_core.framework.contracts.status import SUCCESS
from scheduler_core.testing.agreement import assert_filters_agree
from tests.scheduler_core.plugins.volume_binding.volumes_of_a_pod import make, plugin_on
from tests.scheduler_core.plugins.volume_objects import (
    claim,
    pod_with,
)


def test_an_assumption_ends_when_the_cluster_replaces_the_object() -> None:
    cluster = make(claim("c"))
    plugin, pod = plugin_on(cluster), cluster.info(pod_with("c"))
    plugin.reserve(CycleState(), pod, "b")
    cluster.listers.put(claim("c"))
    assert assert_filters_agree(plugin, pod, cluster.table.order) == [SUCCESS, SUCCESS]

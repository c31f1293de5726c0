"""Calls of plugins are measured in some cycles, in both engines in the same ones; extension points in all."""

from __future__ import annotations

from collections import Counter

import pytest

from scheduler_core.api.objects import ClusterObjects
from scheduler_core.framework.contracts.cycle_state import MEASURED_EVERY
from scheduler_core.simulate import RunInputs, RunSession
from scheduler_core.testing.builders import make_node, make_pod

N_MEASURED = 3


@pytest.mark.parametrize("cached", [True, False], ids=["cached", "plain"])
def test_plugins_are_measured_in_every_so_many_cycles_and_points_in_all(cached):
    n_cycles = N_MEASURED * MEASURED_EVERY
    nodes = [make_node(f"node-{i}", cpu="64") for i in range(5)]
    pods = [make_pod(f"pod-{i:03d}", cpu="100m") for i in range(n_cycles)]
    session = RunSession.start(RunInputs(objects=ClusterObjects(nodes=nodes, pods=pods)), cached=cached)
    session.advance()
    assert session.cycle == n_cycles
    counts = Counter()
    for (point, plugin, _profile, _status), (count, _, _) in session.take_durations().items():
        counts[point, plugin] += count
    assert {counts[point, ""] for point in ("PreFilter", "Filter", "Score")} == {n_cycles}
    assert counts["Filter", "NodeResourcesFit"] == counts["Score", "NodeResourcesFit"] == N_MEASURED
    assert max(count for (_, plugin), count in counts.items() if plugin) == N_MEASURED

"""What pods request of each node while a run is read."""

from __future__ import annotations

from collections import Counter

import pytest

from scheduler_core.api.resources import PODS, pod_requests
from scheduler_core.recording import lanes
from tests.scheduler_core.engine.scenarios import everything, teaching
from tests.scheduler_core.explain.outcomes.runs import tallied


def recounted(session):
    """(requested, allocatable) of the nodes that are there, from the engine's own objects."""
    cluster = session.simulation.context.cluster
    nodes = {name: cluster.table.nodes[row] for name, row in cluster.table.row_of.items()}
    requested, allocatable = Counter(), Counter()
    for key, info in cluster.pods.items():
        if cluster.node_of(key) in nodes:
            requested.update({**pod_requests(info.pod), PODS: 1})
    for node in nodes.values():
        allocatable.update(node.allocatable)
    return +requested, +allocatable


@pytest.mark.slow
@pytest.mark.parametrize("cycles", [1, 8, 20, 40])
@pytest.mark.parametrize("inputs", [teaching, everything])
def test_requests_and_lanes_in_the_middle_of_a_run_equal_the_engine_s(inputs, cycles):
    session, tally = tallied(inputs(), cycles)
    assert (+Counter(tally.usage.requested), +Counter(tally.usage.allocatable)) == recounted(session)
    queue = lanes(session.simulation.recorder.state)
    assert tally.lanes == {name: len(getattr(queue, name)) for name in tally.lanes}
    last = tally.samples.taken[-1]
    assert (last.lanes, last.requested) == (tally.lanes, tally.usage.requested)

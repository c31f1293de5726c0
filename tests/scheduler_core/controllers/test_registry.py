"""Each kind of workload has its controller."""

from __future__ import annotations

import pytest

from scheduler_core.controllers.decision import WorkloadProgress
from scheduler_core.controllers.registry import KINDS, decide
from tests.scheduler_core.controllers.controller_helpers import situation, workload


@pytest.mark.parametrize("kind", sorted(set(KINDS) - {"DaemonSet"}))
def test_the_controller_of_a_kind_makes_pods_of_it_where_there_are_none(kind):
    made = decide(workload(kind), WorkloadProgress(), situation()).make
    assert made
    assert {pod.owner_references[0].kind for pod in made} == {kind}


def test_a_daemon_set_makes_none_where_no_node_is_looked_at():
    assert decide(workload("DaemonSet"), WorkloadProgress(), situation()).make == []

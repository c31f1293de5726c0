"""Generated runs with the facts of all nodes, made once for the tests of filters and for those of scores."""

from __future__ import annotations

import os

import pytest

from scheduler_core.explain.facts import NodeFacts, node_facts
from tests.scheduler_core.explain.facts.generated_runs import CycleMet, cluster_of, cycles_of, generated_inputs

SEEDS = range(40) if os.environ.get("TEST_ANSWERS") == "long" else range(10)
"""TEST_ANSWERS=long (make test-answers) recounts more than five hundred cycles."""


@pytest.fixture(scope="package")
def cycles_with_facts() -> list[tuple[CycleMet, tuple[NodeFacts, ...], object]]:
    """Every cycle of some runs with the facts on all nodes, and what the oracle sees."""
    cycles = []
    for seed in SEEDS:
        for met in cycles_of(generated_inputs(seed)):
            names = sorted(met.state.nodes)
            cycles.append((met, node_facts(met.simulation, met.pod.key, names, met.frame), cluster_of(met)))
    return cycles

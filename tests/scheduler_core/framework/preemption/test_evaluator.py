"""Who may preempt, against upstream's PodEligibleToPreemptOthers (default_preemption.go)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest

from scheduler_core.framework.contracts.cycle_state import CycleState
from scheduler_core.framework.contracts.plugin import NoArgs
from scheduler_core.framework.contracts.run_context import RunContext
from scheduler_core.framework.preemption.evaluator import CandidateLimits, Evaluator
from scheduler_core.framework.runtime.filter_phase import FilterPhase
from scheduler_core.framework.runtime.framework import Framework, PluginPoints
from scheduler_core.framework.runtime.pre_filter_phase import run_pre_filter
from scheduler_core.plugins.node_resources.fit import NodeResourcesFit
from scheduler_core.plugins.node_resources.fit_args import NodeResourcesFitArgs
from scheduler_core.plugins.taint_toleration import TaintToleration
from scheduler_core.testing.builders import make_cluster, make_node, make_pod

if TYPE_CHECKING:
    from scheduler_core.framework.preemption.decision import PreemptionDecision

WAITS = "not eligible due to a terminating pod on the nominated node."


def decided(*, leaving_priority: int, preempted: bool = True, deleted_at: float | None = 30.0) -> PreemptionDecision:
    """A pod of priority 10, nominated on a full node on which a pod is leaving and one of priority 0 is not."""
    leaving = msgspec.structs.replace(
        make_pod("leaving", cpu="1", priority=leaving_priority, node_name="n"),
        preempted=preempted,
        deletion_timestamp=deleted_at,
    )
    low = make_pod("low", cpu="1", priority=0, node_name="n")
    cluster = make_cluster([make_node("n", cpu="2")], {"n": [leaving, low]})
    framework = Framework("test", RunContext(cluster, seed=1))
    filters = [TaintToleration(NoArgs(), framework), NodeResourcesFit(NodeResourcesFitArgs(), framework)]
    framework.install(
        {plugin.name: plugin for plugin in filters}, PluginPoints(filter=filters, pre_filter=[filters[1]])
    )
    pod, cycle = cluster.info(make_pod("p", cpu="1", priority=10, nominated_node_name="n")), CycleState(1)
    outcome = FilterPhase(framework).run(cycle, pod, run_pre_filter(framework, cycle, pod))
    assert not len(outcome.feasible)
    return Evaluator(framework, CandidateLimits()).evaluate(cycle, pod, outcome)


def test_it_waits_for_a_victim_of_lower_priority_that_is_leaving_its_nominated_node():
    decision = decided(leaving_priority=9)
    assert (decision.eligible, decision.message) == (False, WAITS)


@pytest.mark.parametrize(
    "changes",
    [
        pytest.param({"leaving_priority": 10}, id="one of its own priority is none of its victims"),
        pytest.param({"leaving_priority": 11}, id="one above it is none of its victims"),
        pytest.param({"leaving_priority": 9, "preempted": False}, id="one that was deleted is none"),
        pytest.param({"leaving_priority": 9, "deleted_at": None}, id="one that is not going yet"),
    ],
)
def test_it_preempts_again_where_nobody_leaves_for_its_sake(changes):
    decision = decided(**changes)
    assert decision.eligible
    assert decision.nominated_node == "n"

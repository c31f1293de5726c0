"""The search for feasible nodes: a nominated node beside a set that PreFilter narrowed."""

from __future__ import annotations

from tests.scheduler_core.decided import config, decided, disabled, node, pod, verdicts
from tests.scheduler_core.framework.runtime.narrowed import NODES, only_on


def test_the_plugin_that_refuses_the_nominated_node_joins_the_narrowing_ones_also_in_the_text():
    tainted = node("n1", taints=[{"key": "k", "effect": "NoSchedule"}])
    (step,) = decided([tainted, *NODES[1:]], [pod("p", cpu="9", nominated="n1", affinity=only_on("n2"))])
    assert ("n1", "TaintToleration", "node(s) had untolerated taint {k: }") in verdicts(step)
    assert step["absent"]["reasons"] == ["node(s) didn't satisfy plugin(s) [NodeAffinity TaintToleration]"]
    assert step["unschedulablePlugins"] == ["NodeAffinity", "NodeResourcesFit", "TaintToleration"]


def test_preemption_may_help_on_a_nominated_node_outside_the_narrowed_set():
    full = [pod(f"low-{name}", cpu="4", nodeName=name, priority=-1) for name in ("n1", "n2")]
    profile = {"plugins": {"filter": disabled("NodeAffinity")}}
    first, second = decided(
        [*NODES, *full], [pod("p", cpu="2", nominated="n1", affinity=only_on("n2"))], config(**profile)
    )
    assert [c["node"] for c in first["postFilter"]["candidates"]] == ["n1", "n2"]
    assert second["node"] == "n1"


def test_a_pod_nominated_beside_it_refuses_the_nominated_node_but_not_the_search():
    rival = pod("rival", cpu="4", priority=5, nominated="n1")
    (step,) = decided([*NODES, rival], [pod("p", nominated="n1", affinity=only_on("n2"))])
    assert step["node"] == "n2"
    assert step["feasible"] == ["n2"]

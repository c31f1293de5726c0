"""The search for feasible nodes: a nominated node beside a set that PreFilter narrowed."""

from __future__ import annotations

import pytest

from tests.scheduler_core.decided import config, decided, disabled, node, pod, verdicts

NODES = [node("n1"), node("n2"), node("n3")]
AFFINITY = "node(s) didn't match Pod's node affinity/selector"


def only_on(*names):
    """The affinity of a pod that PreFilter narrows to these nodes."""
    by_name = [{"key": "metadata.name", "operator": "In", "values": [name]} for name in names]
    terms = [{"matchFields": [field]} for field in by_name]
    return {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": terms}}}


def test_a_nominated_node_outside_the_narrowed_set_keeps_its_own_verdict():
    (step,) = decided(NODES, [pod("p", cpu="9", nominated="n1", affinity=only_on("n2"))])
    assert sorted(verdicts(step)) == [("n1", "NodeAffinity", AFFINITY), ("n2", "NodeResourcesFit", "Insufficient cpu")]
    assert step["absent"]["nodes"] == ["n3"]
    assert step["fitError"].startswith(
        f"0/3 nodes are available: 1 Insufficient cpu, 1 {AFFINITY}, 1 node(s) didn't satisfy plugin(s) [NodeAffinity]."
    )


def test_the_plugin_that_refuses_the_nominated_node_joins_the_narrowing_ones_also_in_the_text():
    tainted = node("n1", taints=[{"key": "k", "effect": "NoSchedule"}])
    (step,) = decided([tainted, *NODES[1:]], [pod("p", cpu="9", nominated="n1", affinity=only_on("n2"))])
    assert ("n1", "TaintToleration", "node(s) had untolerated taint {k: }") in verdicts(step)
    assert step["absent"]["reasons"] == ["node(s) didn't satisfy plugin(s) [NodeAffinity TaintToleration]"]
    assert step["unschedulablePlugins"] == ["NodeAffinity", "NodeResourcesFit", "TaintToleration"]


def test_a_nominated_node_outside_the_narrowed_set_that_fits_is_taken():
    profile = {"plugins": {"filter": disabled("NodeAffinity")}}
    (step,) = decided(NODES, [pod("p", nominated="n1", affinity=only_on("n2"))], config(**profile))
    assert (step["node"], step["nominatedNodeOnly"]) == ("n1", True)


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


def test_a_nominated_node_that_is_gone_is_not_looked_at():
    (step,) = decided(NODES, [pod("p", cpu="9", nominated="gone", affinity=only_on("n2"))])
    assert step["absent"]["nodes"] == ["n1", "n3"]
    assert step["absent"]["reasons"] == ["node(s) didn't satisfy plugin(s) [NodeAffinity]"]


@pytest.mark.parametrize(
    ("priority", "node_name"),
    [
        pytest.param(4, "n1", id="one of lower priority does not count"),
        pytest.param(5, "n2", id="one of the same priority counts"),
        pytest.param(6, "n2", id="one of higher priority counts"),
    ],
)
def test_which_nominated_pods_are_counted_on_their_node(priority, node_name):
    """As addNominatedPods of runtime/framework.go; n2 alone would lose by its smaller size."""
    rival = pod("rival", cpu="16", priority=priority, nominated="n1")
    steps = decided([node("n1", cpu="16"), node("n2", cpu="2"), rival], [pod("p", cpu="1", priority=5)])
    assert steps[0]["node"] == node_name

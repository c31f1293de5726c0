"""Nodes that PreFilter narrows the search to, and the nominated node outside of them."""

from __future__ import annotations

from tests.scheduler_core.decided import config, decided, disabled, pod, verdicts
from tests.scheduler_core.framework.runtime.narrowed import NODES, only_on

AFFINITY = "node(s) didn't match Pod's node affinity/selector"


def test_a_nominated_node_outside_the_narrowed_set_keeps_its_own_verdict():
    (step,) = decided(NODES, [pod("p", cpu="9", nominated="n1", affinity=only_on("n2"))])
    assert sorted(verdicts(step)) == [("n1", "NodeAffinity", AFFINITY), ("n2", "NodeResourcesFit", "Insufficient cpu")]
    assert step["absent"]["nodes"] == ["n3"]
    assert step["fitError"].startswith(
        f"0/3 nodes are available: 1 Insufficient cpu, 1 {AFFINITY}, 1 node(s) didn't satisfy plugin(s) [NodeAffinity]."
    )


def test_a_nominated_node_outside_the_narrowed_set_that_fits_is_taken():
    profile = {"plugins": {"filter": disabled("NodeAffinity")}}
    (step,) = decided(NODES, [pod("p", nominated="n1", affinity=only_on("n2"))], config(**profile))
    assert (step["node"], step["nominatedNodeOnly"]) == ("n1", True)


def test_a_nominated_node_that_is_gone_is_not_looked_at():
    (step,) = decided(NODES, [pod("p", cpu="9", nominated="gone", affinity=only_on("n2"))])
    assert step["absent"]["nodes"] == ["n1", "n3"]
    assert step["absent"]["reasons"] == ["node(s) didn't satisfy plugin(s) [NodeAffinity]"]

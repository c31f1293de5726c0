"""Nodes whose condition keeps pods off, mended; each remedy verified by the engine."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from scheduler_core.api.labels import LabelSelector, Requirement
from scheduler_core.api.objects import (
    Node,
    NodeCondition,
    Pod,
)
from scheduler_core.explain.remedies.search import remedies
from scheduler_core.testing.builders import make_node, make_pod
from tests.scheduler_core.explain.diagnosis.diagnosed import ASKED, trials_of

if TYPE_CHECKING:
    from scheduler_core.explain.remedies.model import Remedy

OLD_ZONE = "failure-domain.beta.kubernetes.io/zone"
WEB = LabelSelector((Requirement("app", "In", ("web",)),))
GPU = "nvidia.com/gpu"
UNREACHABLE = "node.kubernetes.io/unreachable"


def verified(nodes: list[Node], pods: list[Pod]) -> dict[str, Remedy]:
    """The first verified remedy of each code."""
    proposed: dict[str, Remedy] = {}
    for one in remedies(trials_of(nodes, pods), ASKED).verified:
        proposed.setdefault(one.code, one)
    return proposed


def first(nodes: list[Node], pods: list[Pod]) -> Remedy:
    return remedies(trials_of(nodes, pods), ASKED).verified[0]


# --- the conditions of nodes -----------------------------------------------------------------------------------------
def broken(name: str, key: str, **fields: Any) -> Node:
    return make_node(name, taints=[f"{key}:NoSchedule", f"{key}:NoExecute"], **fields)


def test_a_dead_node_is_brought_back_and_its_taint_never_taken_off_or_tolerated() -> None:
    dead = NodeCondition("Ready", "Unknown", "NodeStatusUnknown", "Kubelet stopped posting node status.")
    proposed = verified([broken("n", UNREACHABLE, conditions=(dead,))], [make_pod("p")])
    assert set(proposed) == {"MEND_NODE"}
    one = proposed["MEND_NODE"]
    assert (one.actor, one.node, one.opens) == ("node-lifecycle", "n", ("n",))
    assert dead.message in one.text
    assert one.assumed.startswith("Ready=True")
    assert ("remove", "v1/Node//n", "/spec/taints") in {(edit.op, edit.object, edit.path) for edit in one.edits}


@pytest.mark.parametrize(
    ("key", "verb"),
    [
        ("node.kubernetes.io/disk-pressure", "Free the disk of n"),
        ("node.kubernetes.io/memory-pressure", "Relieve the pressure on n"),
        ("node.cloudprovider.kubernetes.io/uninitialized", "Have initialised: n"),
        (UNREACHABLE, "Bring back node n"),
    ],
)
def test_what_is_to_be_done_is_said_by_the_condition(key: str, verb: str) -> None:
    assert first([broken("n", key)], [make_pod("p")]).text.startswith(verb)


def test_a_node_with_another_taint_besides_is_not_mended_alone() -> None:
    node = make_node("n", taints=[f"{UNREACHABLE}:NoSchedule", "gpu:NoSchedule"])
    for one in remedies(trials_of([node], [make_pod("p")]), ASKED).verified:
        assert {"MEND_NODE"} < {edit.code for edit in one.edits}, "with what answers the other taint"

"""Why a pod is pending; every number is worked out by hand."""

from __future__ import annotations

import pytest

from scheduler_core.api.objects import Volume
from scheduler_core.api.taints import Taint
from scheduler_core.explain.pending import attempt_shown
from scheduler_core.testing.builders import make_node, make_pod
from tests.scheduler_core.explain.pending.pending_pods import run, why_pending_of


def test_groups_are_nodes_with_equal_obstacles_counted_under_the_plugin_of_the_message() -> None:
    nodes = [make_node(f"n{i}", cpu="4") for i in range(3)] + [make_node("x", cpu="4")]
    tainted = make_node("t", cpu="8", taints=[Taint("gpu", "yes")])
    placed = [make_pod(f"p{i}", cpu="3", node_name=f"n{i}") for i in range(2)]
    placed += [make_pod("q", cpu="2", node_name="n2"), make_pod("r", cpu="4", node_name="x")]
    answer = why_pending_of([*nodes, tainted], [*placed, make_pod("big", cpu="3")], "big")
    assert (answer.state, answer.because.plugin) == ("pending", "NodeResourcesFit")
    assert [(group.plugin, group.nodes, group.reasons) for group in answer.groups] == [
        ("NodeResourcesFit", ("n0", "n1", "n2", "x"), ("Insufficient cpu",)),
        ("TaintToleration", ("t",), ("node(s) had untolerated taint(s)",)),
    ]
    assert [(group.only, group.hidden) for group in answer.groups] == [(4, ()), (1, ())]


def test_a_plugin_that_refuses_later_than_the_first_is_told_beside_it() -> None:
    t4 = [make_node(f"t{i}", cpu="4", labels={"model": "T4"}) for i in range(2)]
    cordoned = make_node("c", cpu="4", labels={"model": "G3"}, unschedulable=True)
    placed = [make_pod(f"p{i}", cpu="4", node_name=f"t{i}") for i in range(2)]
    answer = why_pending_of(
        [*t4, cordoned], [*placed, make_pod("train", cpu="1", node_selector={"model": "T4"})], "train"
    )
    room, other = answer.groups
    assert (room.plugin, room.nodes, room.hidden) == ("NodeResourcesFit", ("t0", "t1"), ())
    assert (other.plugin, other.hidden, other.only) == ("NodeUnschedulable", (("NodeAffinity", 1),), 0)


def test_a_pod_that_prefilter_rejected_has_the_message_as_kube_scheduler_writes_it() -> None:
    pod = make_pod("db", cpu="1", volumes=(Volume(name="v", claim_name="data"),))
    answer = why_pending_of([make_node("n")], [pod], "db")
    assert answer.message == '0/1 nodes are available: persistentvolumeclaim "data" not found. not found'


def test_an_attempt_that_is_not_there_is_said() -> None:
    _, history = run([make_node("n", cpu="1")], [make_pod("big", cpu="3")], "big")
    with pytest.raises(ValueError, match="default/big was tried 1 time, not 7"):
        attempt_shown(history, 7)


def test_the_state_of_a_pod_that_waits_for_no_node_is_said() -> None:
    gated = why_pending_of([make_node("n")], [make_pod("g", scheduling_gates=("hold",))], "g")
    assert (gated.state, gated.because.plugin) == ("gated", "SchedulingGates")
    assert why_pending_of([make_node("n")], [make_pod("f", scheduler_name="volcano")], "f").state == "untried"
    assert why_pending_of([make_node("n")], [make_pod("p")], "p").state == "placed"

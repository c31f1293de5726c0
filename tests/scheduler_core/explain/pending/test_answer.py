"""Why a pod is pending; every number is worked out by hand."""

from __future__ import annotations

import pytest

from scheduler_core.api.config import Profile, SchedulerConfiguration
from scheduler_core.api.objects import ClusterObjects, Taint, Volume
from scheduler_core.explain.pending import why_pending
from scheduler_core.explain.pending.answer import _otherwise as otherwise
from scheduler_core.explain.pending.history import AttemptHistory
from scheduler_core.recording.state import RunState
from scheduler_core.simulate import InputChange, RunInputs
from scheduler_core.testing.builders import make_node, make_pod
from tests.scheduler_core.explain.pending.pending_pods import run, why_pending_of


def test_the_reason_that_refused_most_nodes_is_told_with_numbers() -> None:
    nodes = [make_node(f"n{i}", cpu="4", labels={"pool": "a"}) for i in range(3)] + [make_node("x", cpu="4")]
    tainted = make_node("t", cpu="8", taints=[Taint("gpu", "yes")])
    placed = [make_pod(f"p{i}", cpu="3", node_name=f"n{i}") for i in range(2)]
    placed += [make_pod("q", cpu="2", node_name="n2"), make_pod("r", cpu="4", node_name="x")]
    answer = why_pending_of([*nodes, tainted], [*placed, make_pod("big", cpu="3")], "big")
    assert (answer.state, answer.because.plugin, answer.because.attempts) == ("pending", "NodeResourcesFit", 1)
    assert answer.because.title == "cpu is short on 4 nodes; TaintToleration refuses the other 1"
    evidence = "It asks for cpu 3. The best of 4 nodes that are short of cpu has 2 free."
    assert answer.because.evidence == evidence
    assert answer.because.next_step == "Free 1 cpu where most is free, or ask for at most 2"
    assert [(group.plugin, group.count) for group in answer.groups] == [
        ("NodeResourcesFit", 3),
        ("NodeResourcesFit", 1),
        ("TaintToleration", 1),
    ]
    assert [group.detail for group in answer.groups[:2]] == ["1 to 2 free, short of 1 to 2", "0 free, short of 3"]


def test_a_pod_that_prefilter_rejected_is_told_by_the_plugin_and_the_reference_s_text() -> None:
    pod = make_pod("db", cpu="1", volumes=(Volume(name="v", claim_name="data"),))
    answer = why_pending_of([make_node("n")], [pod], "db")
    assert answer.because.title == "VolumeRestrictions refused the pod before any node was looked at"
    assert answer.because.evidence == '0/1 nodes are available: persistentvolumeclaim "data" not found.'
    assert answer.message == f"{answer.because.evidence} not found", "as kube-scheduler writes it"


def test_an_attempt_that_is_not_there_is_said() -> None:
    reader, history = run([make_node("n", cpu="1")], [make_pod("big", cpu="3")], "big")
    with pytest.raises(ValueError, match="default/big was tried 1 time, not 7"):
        why_pending(reader, history, 7)


def test_gated_gone_and_foreign_pods_say_what_they_are() -> None:
    gated = why_pending_of([make_node("n")], [make_pod("g", scheduling_gates=("hold",))], "g")
    assert (gated.state, gated.because.plugin) == ("gated", "SchedulingGates")
    foreign = why_pending_of([make_node("n")], [make_pod("f", scheduler_name="volcano")], "f")
    assert foreign.because.title == "It is for another scheduler: volcano"


def test_a_pod_whose_profile_went_with_another_configuration_is_for_another_scheduler() -> None:
    mine = SchedulerConfiguration(profiles=(Profile(scheduler_name="mine"),))
    objects = ClusterObjects(nodes=[make_node("n", cpu="1")], pods=[make_pod("big", cpu="3")])
    inputs = RunInputs(objects=objects, changes=(InputChange(seq=1, action="configure", object=mine),))
    history = AttemptHistory(inputs, "default/big", "", 5)
    history.objects.pods["default/big"] = make_pod("big", cpu="3")
    assert otherwise(history, RunState(), "untried").title == "It is for another scheduler: default-scheduler"
    before = AttemptHistory(inputs, "default/big", "", 1)
    assert otherwise(before, RunState(), "untried").title == "It was not tried yet"

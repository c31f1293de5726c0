"""The report on a pod as lines: what the command line prints and pages let people copy."""

from __future__ import annotations

import msgspec

from scheduler_core.api.objects import NodeCondition
from scheduler_core.explain.diagnosis import AnswerDoubt
from scheduler_core.explain.report import WhyReport, full_report
from scheduler_core.explain.report_lines import report_lines
from scheduler_core.testing.builders import make_node, make_pod
from tests.scheduler_core.explain.pending.pending_pods import run


def reported(nodes: list, pods: list) -> WhyReport:
    reader, history = run(nodes, pods, "p")
    return full_report(reader, history.inputs, history, 0, lambda: False)


def lines(nodes: list, pods: list) -> list[str]:
    return list(report_lines(reported(nodes, pods)))


def starting(several: list[str], word: str) -> list[str]:
    return [line for line in several if line.startswith(word)]


SHORT = [make_node("a", cpu="2"), make_node("t", cpu="4", taints=["gpu:NoSchedule"])]
ASKING = [make_pod("p", cpu="3")]


def test_the_head_says_the_cause_its_codes_who_can_act_and_the_other_readings() -> None:
    several = lines(SHORT, ASKING)
    assert several[0].startswith("default/p: pending at ")
    (because,) = starting(several, "BECAUSE  ")
    assert because == f"BECAUSE  {reported(SHORT, ASKING).cause.text}"  # type: ignore[union-attr]
    assert several[2].strip().startswith("TOO_LARGE, filter; ")
    assert several[2].endswith("workload")
    assert len(starting(several, "OR  ")) == 1
    (message,) = starting(several, "MESSAGE  ")
    assert message.startswith("MESSAGE  0/2 nodes")


def test_the_next_step_is_the_first_verified_remedy_with_what_was_assumed() -> None:
    several = lines(SHORT, ASKING)
    first = reported(SHORT, ASKING).remedies.verified[0]  # type: ignore[union-attr]
    (line,) = starting(several, "NEXT     ")
    assert line.startswith(f"NEXT     {first.text} ({first.actor}; ")
    dead = make_node(
        "n", taints=["node.kubernetes.io/unreachable:NoSchedule"], conditions=(NodeCondition("Ready", "Unknown"),)
    )
    (line,) = starting(lines([dead], [make_pod("p")]), "NEXT     ")
    assert all(part in line for part in ("(node-lifecycle; ", "with Ready=True"))


def test_a_pod_with_a_node_is_told_by_its_placement_and_not_by_what_refused_other_nodes() -> None:
    several = lines([make_node("a"), make_node("t", taints=["gpu:NoSchedule"])], [make_pod("p")])
    assert several[0].startswith("default/p: placed on a")
    (because,) = starting(several, "BECAUSE  ")
    assert "at 00:00:0" in because
    assert not starting(several, "OR ")
    assert not starting(several, "MESSAGE")
    assert not starting(several, "NEXT")
    (attempt,) = [line for line in several if "cycle 1" in line]
    assert attempt.endswith("found a")
    assert several[0].startswith("default/p: placed on a, as of "), "not when it was placed"


def test_groups_are_counted_with_what_nodes_share_and_each_obstacle_on_a_line() -> None:
    nodes = [
        *[make_node(f"n{i}", cpu="1", labels={"pool": "a"}) for i in range(7)],
        make_node("m", labels={"pool": "b"}),
    ]
    several = lines(nodes, [make_pod("p", cpu="2", node_selector={"pool": "c"})])
    begin = next(i for i, line in enumerate(several) if line.startswith("REFUSED BY (8 nodes"))
    assert several[begin + 1] == "1 SELECTOR_NO_MATCH (m)"
    assert several[begin + 4].split(" ", 1) == ["7", "SELECTOR_NO_MATCH, SHORT_CPU (pool=a)"]
    assert several[begin + 7].split(", ") == ["    n0", "n1", "n2", "n3", "n4 and 2 more"]


def test_doubts_stand_beside_the_sentences_that_they_may_falsify() -> None:
    report = reported(SHORT, ASKING)
    doubt = AnswerDoubt(code="NOT_PLAYED", concerns="placement", text="ResourceQuota quota")
    several = list(report_lines(msgspec.structs.replace(report, doubts=(doubt,))))
    assert f"DOUBT    {doubt.text}" in several
    assert not starting(list(report_lines(report)), "DOUBT")


def test_the_pods_that_a_preemption_evicted_are_told_with_their_starts() -> None:
    pods = [make_pod("low", cpu="4", node_name="n", start_time=100.0), make_pod("p", cpu="2", priority=9)]
    several = lines([make_node("n")], pods)
    assert any(line.startswith("PREEMPTIONS (1)") for line in several)
    (fate,) = starting(several, "default/low (priority 0, started 1970-01-01 00:01:40)")
    assert "goes from n" in fate


def test_who_took_the_room_is_said_of_the_nodes_that_its_selectors_allow_and_not_of_those_that_it_may_use() -> None:
    """The taint keeps it off one of them."""
    several = lines(SHORT, [make_pod("x", cpu="1"), *ASKING])
    (line,) = starting(several, "WHO TOOK THE ROOM")
    assert all(part in line for part in ("on 2 nodes", ": 1 pod"))

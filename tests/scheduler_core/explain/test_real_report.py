"""The real scheduler's message beside an attempt of a run."""

from __future__ import annotations

import pytest

from scheduler_core.explain.agreement import SchedulerReport
from scheduler_core.explain.real_report import real_report

CPU = "0/2 nodes are available: 2 Insufficient cpu."
TAIL = " preemption: 0/2 nodes are available: 2 No preemption victims found for incoming pod."


def report(message: str, at: float | None = None) -> SchedulerReport:
    return SchedulerReport(message=message, reason="Unschedulable", source="condition", at=at)


@pytest.mark.parametrize(
    ("real", "ours", "node", "verdict"),
    [
        (CPU, CPU, "", "equal"),
        (CPU, CPU + TAIL, "", "counts-equal"),
        (CPU, CPU.replace("2", "3"), "", "differs"),
        (CPU, CPU.replace("cpu", "memory"), "", "differs"),
        (CPU, "", "n1", "placed"),
        (CPU, "", "", "untried"),
        (CPU, "no nodes available to schedule pods", "", "differs"),
        ("some plugin says no", "some plugin says no", "", "equal"),
        ("some plugin says no", CPU, "", "differs"),
    ],
)
def test_the_verdict_is_that_of_texts_counts_and_nodes(real: str, ours: str, node: str, verdict: str) -> None:
    answer = real_report(report(real), ours, node, 2)
    assert answer is not None
    assert (answer.verdict, answer.node) == (verdict, node)


def test_without_a_message_there_is_nothing_to_compare() -> None:
    assert real_report(SchedulerReport(), CPU, "", 2) is None


def test_what_differs_is_named_with_both_counts() -> None:
    answer = real_report(report(CPU), CPU.replace("2 Ins", "1 Ins"), "", 2)
    assert answer is not None
    assert [(row.reason, row.real, row.ours) for row in answer.differences] == [("Insufficient cpu", 2, 1)]


@pytest.mark.parametrize(
    ("real", "n_nodes", "sentence"), [(CPU.replace("2", "1"), 7, "It saw 1 node, this run has 7."), (CPU, 2, "")]
)
def test_words_also_where_the_run_placed_the_pod(real: str, n_nodes: int, sentence: str) -> None:
    answer = real_report(report(real), "", "n1", n_nodes)
    assert answer is not None
    assert answer.other_nodes == sentence
    assert answer.differences == []


def test_source_and_time_are_those_of_the_report() -> None:
    answer = real_report(report(CPU, at=0.0), CPU, "", 2)
    assert answer is not None
    assert answer.said_at is not None
    assert (answer.source, answer.said_at.year) == ("Unschedulable", 1970)

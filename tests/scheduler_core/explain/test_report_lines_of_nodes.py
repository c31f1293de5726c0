"""What ``why --node`` prints of nodes beside each other."""

from __future__ import annotations

from scheduler_core.explain.report_lines import choice_lines
from scheduler_core.explain.rivals.model import (
    Lead,
    RequestRange,
    Rival,
    Rivalry,
    ScoreInputs,
    WeightRange,
    WhyNode,
)
from scheduler_core.explain.sessions import Points


def test_a_decision_is_told_with_leads_inputs_and_ranges() -> None:
    first = Rival("a", 20, 1, (Points("P", 5, 10, 2),), of=2, inputs=(ScoreInputs("P", ("x",), ("x of 9",)),))
    second = Rival("b", 14, 2, (Points("P", 4, 7, 2),), of=2, inputs=(ScoreInputs("P", (), (), "recorded is 3"),))
    rivalry = Rivalry("ns/p", 1200, "a", ("a",), 2, 2, (first, second), (Lead("P", 6),), 6, ("P",), "another total")
    weights = (WeightRange("P", 2, 1, 100, 100, below=("a", "b")),)
    requests = (RequestRange("cpu", 600, 0, 4000, 20, 4020, n_tried=9),)
    assert list(choice_lines(WhyNode(rivalry, weights, requests))) == [
        "",
        "Why a and not b, cycle 1,200",
        "  The lead of 6: P +6",
        "  DIFFERS: another total",
        "a: 20 points, rank 1 of 2 that fit",
        "  P: 5 -> 10 x 2 = 20",
        "    x of 9",
        "b: 14 points, rank 2 of 2 that fit",
        "  P: 4 -> 7 x 2 = 14",
        "    DIFFERS: recorded is 3",
        "WEIGHT OF P 2: from 1 up; at 0 a draw of 2 with it",
        "REQUEST OF cpu 0.6: 0 to 4; at 4.02 no node fits",
    ]


def test_a_draw_is_told() -> None:
    rivals = (Rival("a", 20, 1, of=2), Rival("b", 20, 1, of=2))
    rivalry = Rivalry("ns/p", 1, "b", ("a", "b"), 2, 2, rivals, (Lead("P", 0),), 0)
    assert list(choice_lines(WhyNode(rivalry)))[1:4] == [
        "Drawn, not decided, cycle 1",
        "  No plugin told them apart: both have 20",
        "  b was drawn from 2 nodes with the best total",
    ]

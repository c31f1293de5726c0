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
from scheduler_core.explain.rivals.texts import (
    drawn_words,
    lead_words,
    request_words,
    rival_words,
    title,
    weight_words,
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
        f"{title('a', 'b', is_winner=True, is_drawn=False)}, cycle 1,200",
        f"  {lead_words([('P', 6)], 20)}",
        "  DIFFERS: another total",
        f"a: {rival_words(first)}",
        "  P: 5 -> 10 x 2 = 20",
        "    x of 9",
        f"b: {rival_words(second)}",
        "  P: 4 -> 7 x 2 = 14",
        "    DIFFERS: recorded is 3",
        f"WEIGHT OF P 2: {weight_words(weights[0], 'a')}",
        f"REQUEST OF cpu 0.6: {request_words(requests[0], 'a')}",
    ]


def test_a_draw_is_told() -> None:
    rivals = (Rival("a", 20, 1, of=2), Rival("b", 20, 1, of=2))
    rivalry = Rivalry("ns/p", 1, "b", ("a", "b"), 2, 2, rivals, (Lead("P", 0),), 0)
    assert list(choice_lines(WhyNode(rivalry)))[1:4] == [
        f"{title('b', 'a', is_winner=True, is_drawn=True)}, cycle 1",
        f"  {lead_words([('P', 0)], 20)}",
        f"  {drawn_words(rivalry)}",
    ]

"""Requests on scales: numbers as fields take them, places in percents."""

from __future__ import annotations

import pytest

from dashboard.debugger.why.node.requests import request_rows, trial_row
from scheduler_core.explain.rivals.model import RequestRange, RequestRanges, RequestTrial, TriedNode


def rows(*ranges, tried=None):
    return request_rows(RequestRanges("ns/p", "w", ranges), tried or {}, 0.5).rows


def test_cpu_is_in_cores_and_the_scale_ends_a_little_behind_the_flip():
    row = rows(RequestRange("cpu", 600, 0, 4000, 20, 8020, above=("a",), n_tried=200))[0]
    assert (row.value, row.recorded, row.unit, row.step, row.least) == ("0.6", "0.6", "", "0.02", "0")
    assert float(row.most) == 5.04
    assert row.beyond == ["4.02"]
    assert row.green == ("0.00%", f"{100 * 4000 / 5040:.2f}%")
    assert row.field == "ask.cpu"


def test_memory_is_in_mebibytes_and_a_tried_amount_is_the_value():
    mib = 1 << 20
    of = RequestRange("memory", 512 * mib, 256 * mib, 1024 * mib, 128 * mib, 8192 * mib, ("a",), ("a", "b"), 9)
    row = rows(of, tried={"memory": 640 * mib})[0]
    assert (row.value, row.recorded, row.unit, row.step) == ("640", "512", "Mi", "128")
    assert row.beyond == ["128", "1152"]
    assert len(row.flips) == 2


def test_an_end_that_was_not_tried_in_time_is_no_flip():
    row = rows(RequestRange("cpu", 600, 500, 700, 100, 8000, in_time=False))[0]
    assert (row.flips, row.beyond) == ([], [])
    assert not request_rows(
        RequestRanges("p", "w", (RequestRange("cpu", 1, 1, 1, 1, 9, in_time=False),)), {}, 1
    ).in_time


def test_an_end_that_the_tape_has_no_answer_for_is_no_flip_and_unknown():
    row = rows(RequestRange("cpu", 600, 500, 700, 100, 8000, ("a",), unanswered=("", "filter of extenders[0]")))[0]
    assert row.beyond == ["0.4"]


def test_a_trial_says_with_what_and_each_node():
    row = trial_row(
        RequestTrial(
            {"cpu": 700, "example.com/gpu": 2},
            {"Fit": 3},
            "a",
            ("a",),
            4,
            n_fit=2,
            nodes=(TriedNode("a", 1480), TriedNode("b", None, "Fit", "Insufficient cpu"), TriedNode("c", None)),
            held=("memory",),
        )
    )
    assert [part in row.asked for part in ("0.7 cpu", "2 gpu", "Fit")] == [True] * 3
    assert [(one.node, one.is_refused) for one in row.nodes] == [("a", False), ("b", True), ("c", False)]
    assert row.nodes[0].text == "1,480"
    assert "memory" in row.note


UNANSWERED = ("", "filter of extenders[0]")


@pytest.mark.parametrize(
    ("tried", "sentence"),
    [
        (RequestRange("cpu", 600, 0, 4000, 20, 8020, above=("a",), n_tried=200), "0 to 4; at 4.02 a"),
        (
            RequestRange("cpu", 600, 500, 700, 100, 8000, ("a",), unanswered=UNANSWERED),
            "0.5 to 0.7; at 0.4 a, at 0.8 unknown, as the tape has no answer of the extenders for it",
        ),
    ],
)
def test_words(tried, sentence):
    assert rows(tried)[0].text == sentence


def test_words_of_a_trial():
    trial = RequestTrial(
        {"cpu": 700},
        {"Fit": 3},
        "a",
        ("a",),
        4,
        n_fit=2,
        nodes=(TriedNode("b", None, "Fit", "Insufficient cpu"), TriedNode("c", None)),
        held=("memory",),
    )
    row = trial_row(trial)
    assert [row.asked, row.text, *(one.text for one in row.nodes), row.note] == [
        "0.7 cpu, Fit at weight 3",
        "a would win by 4",
        "refused by Fit",
        "the only one that fits",
        "The request of memory is decided by overhead, pod-level requests or a resize in place.",
    ]

"""Agreement in words: standings, likely causes, and what cannot be known from a snapshot."""

from __future__ import annotations

from typing import get_args

import pytest

from scheduler_core.explain.agreement.model import (
    AgreementFigures,
    BoundPod,
    CauseKind,
    LikelyCause,
    NodeRefusal,
    OlderMessage,
    PendingPod,
    PendingStanding,
    Standing,
)
from scheduler_core.explain.agreement.scheduler_reports import SchedulerReport
from scheduler_core.explain.agreement.texts import (
    PENDING,
    STANDINGS,
    cause_text,
    ours_text,
    pending_text,
    standing_text,
    unknowns,
)


def test_every_standing_and_every_cause_has_words():
    assert STANDINGS.keys() == set(get_args(Standing))
    assert PENDING.keys() == set(get_args(PendingStanding))
    assert all(cause_text(LikelyCause(kind)) for kind in get_args(CauseKind))


@pytest.mark.parametrize(
    ("cause", "text"),
    [
        (LikelyCause("arrivals", younger=1, lead=3), "1 pod was made later. Without them the real node leads by 3"),
        (LikelyCause("arrivals", younger=1200), "1,200 pods were made later. Without them the real node is the only"),
        (LikelyCause("sampling", scored=50, fitting=120), "of 120 nodes that fit, a scheduler with this configuration"),
        (LikelyCause("unknown", tried=True, younger=2), "Without the 2 younger pods it is so too (tried)."),
    ],
)
def test_a_cause_names_its_numbers(cause, text):
    assert text in cause_text(cause)


def bound(standing, **fields):
    return BoundPod(pod="a/b", node="n", standing=standing, **fields)


@pytest.mark.parametrize(
    ("pod", "text"),
    [
        (bound("only_one"), "no other node fits"),
        (bound("same", lead=4, n_fitting=1500), "leads by 4 of 1,500 nodes that fit"),
        (bound("same"), ""),
        (bound("tied", n_best=2, n_fitting=7), "one of 2 with the best total of 7 that fit"),
        (bound("lower", rank=3, n_fitting=7, gap=12), "rank 3 of 7, 12 points less"),
        (
            bound("refused", refusals=(NodeRefusal("NodeResourcesFit", ("Too many pods", "Insufficient cpu")),)),
            "NodeResourcesFit: Too many pods, Insufficient cpu",
        ),
        (bound("refused", failure="0/1 nodes are available"), "0/1 nodes are available"),
    ],
)
def test_a_standing_says_by_how_much(pod, text):
    assert standing_text(pod) == text


def test_our_nodes_are_the_first_of_the_best_and_how_many_more():
    assert ours_text(bound("refused")) == "no node fits"
    assert ours_text(bound("lower", best=("m",), n_best=1)) == "m"
    assert ours_text(bound("lower", best=("m", "o"), n_best=1001)) == "m or 1,000 more"


def test_nothing_stands_against_an_equal_message():
    assert pending_text(PendingPod(pod="a/b", standing="equal")) == ""
    assert "finds m" in pending_text(PendingPod(pod="a/b", standing="fits", node="m"))
    assert "no form that is known" in pending_text(PendingPod(pod="a/b", standing="not_recognised"))


def test_what_came_after_a_message_is_counted_and_named():
    older = OlderMessage(n_pods=9, n_nodes=1, pods=("a/x", "a/y"), nodes=("n",), then="equal")
    one = PendingPod(pod="a/b", standing="equal_then", report=SchedulerReport(at=0.0), older=older)
    assert pending_text(one) == (
        "the message is of 1970-01-01T00:00:00Z; later came 9 pods bound (a/x, a/y and 7 more) and 1 node made (n): "
        "without that the messages are equal (tried)"
    )


def test_what_a_snapshot_does_not_tell_is_said_with_its_counts():
    figures = AgreementFigures(
        standings={"static": 2, "same": 1},
        messages={},
        order="created",
        n_nodes=1000,
        scored=50,
        n_decided=1,
        seconds=0.0,
        gone=("a/x",),
        n_gone=3,
        n_finished=1200,
    )
    text_of_group = dict(unknowns(figures))
    assert list(text_of_group) == [
        "Pods that have gone",
        "Sampling",
        "Draw among equals",
        "Preempted",
        "Finished pods: 1,200",
        "Static pods: 2",
    ]
    assert "Of 1,000 nodes the real scheduler scores the first 50" in text_of_group["Sampling"]
    assert "3 preempted pods have gone and left room: a/x and 2 more." in text_of_group["Preempted"]

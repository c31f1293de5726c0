"""Batches for the socket: thinned where many pods move, never in their counts."""

from __future__ import annotations

import pytest

from dashboard.live import messages
from scheduler_core.recording import events as ev

pytestmark = pytest.mark.django_db(transaction=True)


def moves(n):
    """Return n queue moves with a preemption and an outcome before them."""
    events = [
        (0, ev.PreemptionDecided(at=0, cycle=1, pod="a/b", eligible=True, nominated_node="n")),
        (1, ev.CycleFinished(at=0, cycle=1, pod="a/b", outcome="unschedulable")),
    ]
    return events + [
        (2 + i, ev.QueueMove(at=i, pod="a/b", source="active", target="backoff", event="x")) for i in range(n)
    ]


def test_a_thinned_batch_counts_everything_and_names_what_is_left_out():
    head = messages.HeadPosition(seq=400, cycle=1, at=0)
    full = messages.batch(7, moves(300), (0, 302), (head, "running"))
    thin = messages.thinned(full)
    assert thin["counts"] == {"outcomes": {"unschedulable": 1}, "moves": {"active>backoff": 300}, "preemptions": 1}
    assert thin["left_out"] == [0, 201]
    assert [event["seq"] for event in thin["events"]] == [0, *range(202, 302)]
    assert (thin["first"], thin["last"]) == (0, 301)


def test_few_moves_are_not_thinned():
    head = messages.HeadPosition(seq=400, cycle=1, at=0)
    full = messages.batch(7, moves(100), (0, 102), (head, "running"))
    assert messages.thinned(full) == full

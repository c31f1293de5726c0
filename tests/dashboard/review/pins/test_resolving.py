"""Pins checked against a run whose rows are written by hand: moments, cycles, pods."""

from __future__ import annotations

import pytest

from dashboard.common.problems import NotFound, Problem
from dashboard.review.pins import resolving
from dashboard.review.pins.pin import Pin
from dashboard.review.pins.resolving import resolved
from dashboard.runs.models import QueueMove


@pytest.fixture
def moved(run):
    """The run with a move of pod-1 in its first event, and one of a later pod of that name behind the second."""
    values = {
        "run": run,
        "pod": "default/pod-1",
        "source": "",
        "target": "active",
        "event": "PodAdd",
        "plugin": "",
        "attempts": 0,
    }
    QueueMove.objects.create(**values, seq=0, at_us=0)
    QueueMove.objects.create(**values, seq=25, at_us=2, pod_uid="later")
    return run


def test_the_moment_is_the_end_of_the_cycle_unless_one_is_named(run):
    assert resolved(run, Pin(2)).seq == 20
    assert resolved(run, Pin(2, 15)).seq == 15


@pytest.mark.parametrize("pin", [Pin(2, 5), Pin(99), Pin(2, 31), Pin(0)])
def test_a_moment_of_another_cycle_and_an_unknown_cycle_are_refused(run, pin):
    with pytest.raises((Problem, NotFound)):
        resolved(run, pin)


def test_a_move_stands_with_the_cycle_that_had_begun_last(moved):
    first = resolved(moved, Pin(0, 3, kind="move", pod="default/pod-1"))
    assert (first.pin.cycle, first.seq, first.pin.uid) == (1, 1, "")
    later = resolved(moved, Pin(0, 26, kind="move"))
    assert (later.pin.cycle, later.pin.pod, later.pin.uid) == (3, "default/pod-1", "later")
    assert later.says == "default/pod-1 moved from outside of the queue to activeQ by PodAdd"
    assert later.columns["pod_uid"] == "later"


def test_a_pod_is_left_out_where_the_thing_is_none_of_a_pod(run):
    assert resolved(run, Pin(2, pod="default/pod-9")).pin.pod == ""


@pytest.mark.parametrize(
    ("pin", "named"),
    [
        (Pin(2, kind="victim", pod="default/pod-9"), "default/pod-9"),
        (Pin(0, 30, kind="move", pod="default/pod-9"), "default/pod-9"),
        (Pin(2, point="Filter", plugin="Fit", node="node-9", kind="verdict"), "Filter, Fit, node-9"),
        (Pin(0, 30, kind="event"), "this event"),
    ],
)
def test_what_was_not_recorded_is_named(run, pin, named, monkeypatch):
    monkeypatch.setattr(resolving, "fact_of", lambda run, pin: None)
    monkeypatch.setattr(resolving, "_must_be_recorded", lambda run, pin: True)
    with pytest.raises((Problem, NotFound), match=named):
        resolved(run, pin)

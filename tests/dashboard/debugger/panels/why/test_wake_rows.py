"""Timers with what is left of them, and events by the plugins that hear them."""

from __future__ import annotations

import pytest

from dashboard.debugger.panels.why.wake_rows import wake_list
from scheduler_core.explain.pending.model import HintsAsked, Timer, Waker, Wakes

SECOND = 1_000_000


def test_a_timer_tells_what_is_left_and_how_much_has_passed():
    timer = Timer("unschedulable flush", 300 * SECOND, 75 * SECOND, 0, "tried again")
    (row,) = wake_list(Wakes(pod="d/p", lane="unschedulable", timers=(timer,))).timers
    assert (row.left, row.share) == ("1 min 15 s", 75.0)


def test_events_that_the_same_plugins_hear_are_one_row():
    events = (
        Waker("NodeAdd", "Node", ("Fit", "Taint"), ("Fit", "Taint")),
        Waker("PodDelete", "Pod", ("Fit",), ("Fit",)),
        Waker("PodUpdate", "Pod", ("Fit",), ("Fit",)),
        Waker("NodeUpdate", "Node", ("Fit",), ()),
    )
    rows = wake_list(Wakes(pod="d/p", lane="unschedulable", events=events)).events
    assert [(row.plugins, row.events, row.is_judged) for row in rows] == [
        ("Fit and Taint", "NodeAdd", True),
        ("Fit", "PodDelete, PodUpdate", True),
        ("Fit", "NodeUpdate", False),
    ]


def test_of_a_plugin_that_hears_everything_the_events_are_counted():
    """As of extenders: the rest stands in a title."""
    events = tuple(Waker(f"Event{i}", "Pod", ("Extender",), ()) for i in range(51))
    (row,) = wake_list(Wakes(pod="d/p", lane="unschedulable", events=events)).events
    shown, _, more = row.events.partition(" and ")
    assert shown == "Event0, Event1, Event2, Event3"
    assert more.startswith("47 ")
    assert row.all_events.endswith(", Event50")


def test_objects_are_named_where_the_hints_tell_them_apart():
    asked = (
        HintsAsked(event="AssignedPodDelete", waking=("d/a", "d/b"), count=5, of=9),
        HintsAsked(event="NodeAdd", waking=("n",), count=1, of=1),
    )
    rows = wake_list(Wakes(pod="d/p", lane="unschedulable", asked=asked)).hints
    assert [(row.names, row.more) for row in rows] == [(["d/a", "d/b"], 3), ([], 0)]
    assert "5 of 9" in rows[0].text


@pytest.mark.parametrize(
    ("asked", "sentence"),
    [
        (
            HintsAsked(event="AssignedPodDelete", waking=("d/a", "d/b"), count=5, of=9),
            "deleting 5 of 9 placed pods would wake it, the other 4 would not",
        ),
        (
            HintsAsked(event="NodeAdd", waking=("n",), count=1, of=1),
            "adding a node like the 1 node would wake it",
        ),
    ],
)
def test_words(asked, sentence):
    (row,) = wake_list(Wakes(pod="d/p", lane="unschedulable", asked=(asked,))).hints
    assert row.text == sentence


def test_words_of_a_timer_and_of_many_events():
    timer = Timer("unschedulable flush", 300 * SECOND, 75 * SECOND, 0, "tried again")
    events = tuple(Waker(f"Event{i}", "Pod", ("Extender",), ()) for i in range(51))
    wakes = wake_list(Wakes(pod="d/p", lane="unschedulable", timers=(timer,), events=events))
    assert [wakes.timers[0].title, wakes.events[0].events] == [
        "Timer for unschedulable pods",
        "Event0, Event1, Event2, Event3 and 47 more kinds of events",
    ]

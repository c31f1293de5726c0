"""The event at a cursor, with its cause in words."""

from __future__ import annotations

import pytest
from django.template.loader import render_to_string

from dashboard.debugger.cursor.cursor import cursor_of
from dashboard.debugger.events.line import NOT_RECORDED, CauseWords, causes_of, event_line, has_causes, origin_words
from dashboard.runs.models import QueueMove
from dashboard.runs.storage import recordings
from scheduler_core.recording import events as ev

pytestmark = pytest.mark.django_db


@pytest.fixture
def woken(run):
    """The number of the event by which the preemptor comes back."""
    return QueueMove.objects.get(run=run, event="AssignedPodDelete", pod="default/big-0").seq + 1


def test_there_is_no_event_at_the_start(run):
    assert event_line(run, 0) is None


def test_every_event_of_a_run_has_a_line_and_causes_lie_before_it(run):
    lines = [event_line(run, number) for number in range(1, run.head.seq + 1)]
    assert all(line.number == number for number, line in enumerate(lines, start=1))
    assert all(line.cause.number is None or line.cause.number < line.number for line in lines)
    assert all(line.cause.text for line in lines)


def test_the_line_names_the_event_and_what_it_follows_from(run, woken):
    line = event_line(run, woken)
    assert line.sentence.text.startswith("big-0 ")
    assert "AssignedPodDelete, NodeResourcesFit" in line.sentence.text
    cause = event_line(run, line.cause.number)
    assert cause.sentence.text.endswith("by default/big-0")
    assert line.cause.text.startswith("fill-")


def test_an_older_recording_says_that_the_cause_is_not_recorded(run, woken, monkeypatch):
    monkeypatch.setattr(recordings.RecordingReader, "cause", lambda self, seq: None)
    assert event_line(run, woken).cause == CauseWords(NOT_RECORDED)
    assert causes_of(run, [0]) == {0: CauseWords(NOT_RECORDED)}
    assert not has_causes(run)


def test_every_move_of_a_run_says_what_caused_it(run):
    moves = list(QueueMove.objects.filter(run=run).order_by("seq"))
    cause_of_seq = causes_of(run, [move.seq for move in moves])
    assert set(cause_of_seq) == {move.seq for move in moves}
    by_event = {(move.pod, move.event): cause_of_seq[move.seq] for move in reversed(moves)}
    assert by_event["default/big-0", "UnschedulablePodAdd"].number is None
    assert by_event["default/big-0", "Popped"].text == "into activeQ"
    assert by_event["default/never-0", "ScheduleAttemptFailure"].text.startswith("cycle ")
    assert by_event["default/big-0", "AssignedPodDelete"].text.endswith(" gone")
    assert has_causes(run)


ADDED = {"at": 0, "kind": "Node", "key": "n", "action": "added"}


@pytest.mark.parametrize(
    ("event", "sentence"),
    [
        (ev.ObjectChanged(**ADDED, entry=26), "timeline, entry 27"),
        (ev.ObjectChanged(**ADDED, change=0), "change 1 of the run"),
        (ev.ObjectChanged(**ADDED), "input"),
        (ev.RunFinished(at=0, reason="", cycles=0, bound=0, pending=0), "start of the run"),
    ],
)
def test_words_of_an_origin(event, sentence):
    assert origin_words(event) == sentence


def test_words(run, woken):
    line = event_line(run, woken)
    assert line.sentence.text == "big-0 woken: to activeQ AssignedPodDelete, NodeResourcesFit: may help"
    assert event_line(run, line.cause.number).sentence.text.endswith("gone preempted by default/big-0")


def test_the_partial_links_the_cause_and_escapes_names(run, woken):
    cursor = cursor_of(run, "team", {"seq": str(woken)})
    html = render_to_string("debugger/events/_line.html", {"line": event_line(run, woken), "cursor": cursor})
    assert f'seq={event_line(run, woken).cause.number}"' in html
    assert '<b title="default/big-0">big-0</b>' in html
    start = render_to_string("debugger/events/_line.html", {"line": None, "cursor": cursor})
    assert "Before the first event" in start

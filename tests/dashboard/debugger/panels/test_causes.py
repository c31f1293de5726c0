"""Causes in words: every event of a run has one that can be read, and old recordings say that they have none."""

from __future__ import annotations

from typing import get_args

import pytest

from dashboard.debugger.panels import causes
from dashboard.debugger.panels.causes import AN_INPUT, AT_START, NOT_RECORDED, Cause, causes_of, event_text
from dashboard.runs.models import QueueMove
from dashboard.runs.storage import recordings
from scheduler_core.recording import events as ev
from tests.dashboard.debugger.conftest import scene

pytestmark = pytest.mark.django_db


@pytest.fixture
def run(execute):
    return execute(scene(), schedule="pending")


def test_every_move_of_a_run_says_what_caused_it(run):
    moves = list(QueueMove.objects.filter(run=run).order_by("seq"))
    found = causes_of(run, [move.seq for move in moves])
    assert set(found) == {move.seq for move in moves}
    by_event = {(move.pod, move.event): found[move.seq] for move in reversed(moves)}
    assert by_event["default/big-0", "UnschedulablePodAdd"] == Cause(AT_START)
    assert by_event["default/big-0", "Popped"].text == "its move to activeQ, after its creation (UnschedulablePodAdd)"
    assert by_event["default/never-0", "ScheduleAttemptFailure"].text.startswith("cycle ")
    woken = by_event["default/big-0", "AssignedPodDelete"].text
    assert woken.startswith("Pod default/fill-")
    assert woken.endswith("deleted, preempted by default/big-0")


def test_the_place_of_a_cause_is_the_cursor_after_it(run):
    move = QueueMove.objects.filter(run=run, event="AssignedPodDelete").first()
    why = causes_of(run, [move.seq])[move.seq]
    ((_, event),) = recordings.events_of(run.pk, why.seq - 1, why.seq - 1)
    assert isinstance(event, ev.ObjectChanged)
    assert why.seq <= move.seq


def test_a_recording_without_causes_says_so(run, monkeypatch):
    monkeypatch.setattr(recordings.RecordingReader, "cause", lambda self, seq: None)
    assert causes_of(run, [0]) == {0: Cause(NOT_RECORDED)}


def test_an_event_of_the_timeline_is_an_input():
    event = ev.ObjectChanged(at=0, kind="Node", key="n", action="added", entry=3)
    assert event_text(event) == "Node n added by the timeline"
    assert AN_INPUT != AT_START


def test_every_event_that_can_cause_others_has_words():
    silent = {ev.PointFinished, ev.NodesFiltered, ev.NodesScored, ev.HostSelected, ev.CycleFinished}
    silent |= {ev.MatrixDigest, ev.RunFinished, ev.PluginFailed}
    assert set(get_args(ev.AnyEvent)) == set(causes._TEXTS) | silent


def test_the_story_names_the_cause_of_each_move_and_links_to_it(run, editor):
    page = editor.get(f"/w/team/runs/{run.number}/?pod=default/big-0&tab=story").content.decode()
    assert "because of Pod default/fill-" in page
    assert "deleted, preempted by default/big-0" in page
    assert AT_START in page
    assert "Cause not recorded" not in page


def test_the_story_of_an_older_recording_says_that_causes_are_not_recorded(run, editor, monkeypatch):
    monkeypatch.setattr(recordings.RecordingReader, "cause", lambda self, seq: None)
    page = editor.get(f"/w/team/runs/{run.number}/?pod=default/big-0&tab=story").content.decode()
    assert "Cause not recorded" in page
    assert "because of" not in page

"""A pod's story: what led to what, and links both ways."""

from __future__ import annotations

import pytest

from dashboard.runs.storage import recordings
from tests.dashboard.debugger.conftest import page_of


@pytest.fixture
def story(run):
    """A function that returns the lines of a pod's story at the end of the run."""
    return lambda name: page_of(run, seq=run.head.seq, pod=f"default/{name}", tab="story").pod.history_lines


def test_each_effect_names_the_line_that_has_it_as_its_cause(story):
    lines = story("big-0")
    by_seq = {line.seq: line for line in lines}
    effects = [(line, effect) for line in lines for effect in line.effects]
    assert effects
    for line, effect in effects:
        caused = by_seq[effect.seq]
        assert caused.title == effect.title
        assert (line.begins or line.seq) <= caused.cause.number <= line.seq


def test_a_failed_attempt_led_to_the_move_after_it(story):
    failed = next(line for line in story("never-0") if line.title == "attempt 1: unschedulable")
    assert [effect.title for effect in failed.effects] == ["to unschedulable pods"]
    assert failed.detail.startswith("NodeResourcesFit cpu insufficient on 2")


def test_preemptor_and_victim_name_each_other(story, look, run):
    nominated = next(line for line in story("big-0") if line.title.startswith("nominated to"))
    (victim,) = nominated.victims
    evicted = next(line for line in story(victim.pod.partition("/")[2]) if line.title.startswith("preempted on"))
    assert evicted.other == "default/big-0"
    html = look(run, seq=run.head.seq, pod="default/big-0", tab="story").content.decode()
    assert f">{victim.pod}</a>" in html


def test_lines_behind_the_cursor_are_ahead_and_one_is_here(run, cycle_of):
    cycle = cycle_of("big-0")
    lines = page_of(run, cycle=cycle.number, tab="story").pod.history_lines
    assert sum(line.is_here for line in lines) == 1
    assert [line.is_ahead for line in lines] == [line.seq > cycle.last_seq + 1 for line in lines]


def test_the_story_names_the_cause_of_each_move_and_links_to_it(run, editor):
    page = editor.get(f"/w/team/runs/{run.number}/?pod=default/big-0&tab=story").content.decode()
    assert "cause: fill-" in page
    assert "cause: start of" in page
    assert "Cause not recorded" not in page


def test_the_story_of_an_older_recording_says_that_causes_are_not_recorded(run, editor, monkeypatch):
    monkeypatch.setattr(recordings.RecordingReader, "cause", lambda self, seq: None)
    page = editor.get(f"/w/team/runs/{run.number}/?pod=default/big-0&tab=story").content.decode()
    assert "Cause not recorded" in page
    assert "cause:" not in page

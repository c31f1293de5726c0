"""The state in the run's bar, and its buttons."""

from __future__ import annotations

import json
import re

import pytest
from django.urls import reverse

from dashboard.runs.models import Run, State


@pytest.fixture
def running(run):
    """The run of the scene as if it went on."""
    Run.everything.filter(pk=run.pk).update(state=State.RUNNING)
    run.refresh_from_db()
    return run


def press(client, run, verb):
    """Press a button of the bar as a page with scripts does."""
    url = reverse("debugger:steer", kwargs={"slug": "team", "number": run.number, "verb": verb})
    return client.post(url, headers={"HX-Request": "true", "HX-Target": "run-state"})


def test_a_run_that_is_paused_says_pausing_and_the_page_stays(editor, running):
    response = press(editor, running, "pause")
    html = response.content.decode()
    assert response.status_code == 200
    assert "HX-Redirect" not in response
    assert 'data-state="pausing"' in html
    assert "Pause run" not in html
    assert json.loads(response["HX-Trigger"])["toast"]["text"].startswith("Run 1 pauses")
    running.head.refresh_from_db()
    assert running.head.pause_requested


def test_a_paused_run_goes_on(editor, running):
    Run.everything.filter(pk=running.pk).update(state=State.PAUSED)
    assert "Resume run" in editor.get(f"/w/team/runs/{running.number}/state/").content.decode()
    html = press(editor, running, "resume").content.decode()
    assert "Pause run" in html
    running.refresh_from_db()
    assert running.state == State.QUEUED


def test_stopping_asks_first_and_keeps_what_was_recorded(editor, running):
    html = editor.get(f"/w/team/runs/{running.number}/state/").content.decode()
    assert 'data-confirm="Stop run 1' in html
    assert 'data-confirm-no="Keep running"' in html
    html = press(editor, running, "stop").content.decode()
    assert "stopping" in html
    assert "Stop run" not in html
    running.refresh_from_db()
    assert running.state == State.CANCELLING


def test_a_failed_run_says_why_and_leads_to_its_outcomes(editor, run):
    Run.everything.filter(pk=run.pk).update(state=State.FAILED, error="disk full")
    html = editor.get(f"/w/team/runs/{run.number}/state/").content.decode()
    pill = re.search(r'<a\b[^>]*class="pill-link"[^>]*>', html)[0]
    assert reverse("debugger:outcomes", args=["team", run.number]) in pill
    assert 'failed: disk full"' in pill


def test_viewers_and_unknown_verbs_are_refused(viewer, editor, running):
    assert press(viewer, running, "pause").status_code == 403
    assert press(editor, running, "dance").status_code == 404
    assert editor.get(f"/w/team/runs/{running.number}/state/pause/").status_code == 405


def test_without_scripts_the_buttons_lead_back_to_the_cursor(editor, running):
    html = editor.get(f"/w/team/runs/{running.number}/", {"cycle": 2}).content.decode()
    assert f'value="/w/team/runs/{running.number}/?cycle=2"' in html


def test_a_run_that_ended_has_one_word_and_no_button(editor, run):
    html = editor.get(f"/w/team/runs/{run.number}/", {"cycle": 2}).content.decode()
    assert len(re.findall(r"</svg>\s*finished", html)) == 1
    assert "Stop run" not in html


@pytest.mark.parametrize(
    ("state", "sentence"),
    [
        (State.RUNNING, "Stop run 1 for good? What it recorded stays, but it cannot be resumed."),
        (State.FAILED, "The run failed: disk full"),
    ],
)
def test_words(editor, run, state, sentence):
    Run.everything.filter(pk=run.pk).update(state=state, error="disk full")
    assert sentence in editor.get(f"/w/team/runs/{run.number}/state/").content.decode()


@pytest.mark.parametrize(("verb", "sentence"), [("pause", "Run 1 pauses at the end of its cycle")])
def test_words_of_a_button(editor, running, verb, sentence):
    assert json.loads(press(editor, running, verb)["HX-Trigger"])["toast"]["text"] == sentence

"""Why? on pending pods: one click starts the run or finds it, and leads to the pod's answer."""

from __future__ import annotations

from dashboard.runs import execution
from dashboard.runs.models import Run
from tests.dashboard.agreement.conftest import HERE, MESSAGE
from tests.dashboard.helpers import assert_strict_csp

ANSWER = "/w/team/runs/1/why/?pod=default/wide"
FOLLOW = f"{HERE}why/1/?pod=default/wide"


def ask(person, pod="default/wide", **more):
    return person.post(f"{HERE}why/", {"pod": pod, **more})


def test_a_click_starts_one_run_of_the_pending_pods_and_the_answer_opens_when_it_is_there(editor, dumped, messages):
    assert ask(editor).headers["Location"] == ask(editor).headers["Location"] == FOLLOW
    run = Run.objects.get()
    assert (run.schedule, run.is_background, run.name) == ("pending", True, "Why default/wide waits")
    page = editor.get(FOLLOW)
    assert b"waits for a worker" in page.content
    assert b'hx-trigger="load delay:400ms"' in page.content
    assert_strict_csp(page.content)
    execution.work()
    assert editor.get(FOLLOW).headers["Location"] == ANSWER
    part = editor.get(FOLLOW, headers={"HX-Request": "true"})
    assert (part.status_code, part.headers["HX-Redirect"]) == (204, ANSWER)
    assert b"NodeResourcesFit" in editor.get(ANSWER).content


def test_pods_that_do_not_wait_or_are_not_there_and_readers_are_refused(editor, viewer, stranger, dumped, messages):
    assert ask(editor, "default/only").status_code == 404
    assert ask(editor, "default/none").status_code == 404
    assert ask(editor, r="7").status_code == 404
    assert ask(viewer).status_code == 403
    assert ask(stranger).status_code == 404
    assert editor.get(f"{HERE}why/9/?pod=x/y").status_code == 404
    assert Run.objects.count() == 0


def test_the_overview_and_the_table_list_pending_pods_with_the_real_words(editor, viewer, dumped):
    page = editor.get(HERE).content.decode()
    assert page.count(MESSAGE) == 2
    assert page.count('aria-label="Why? default/wide"') == 1
    assert "Unschedulable" in page
    assert 'aria-label="Why? default/fits"' in editor.get(f"{HERE}pods/?status=pending").content.decode()
    assert "Why? default/wide" not in viewer.get(HERE).content.decode()
    assert MESSAGE in viewer.get(HERE).content.decode()

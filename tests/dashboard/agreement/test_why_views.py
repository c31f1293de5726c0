"""Why? on pending pods: one click starts the run or finds it, and leads to the pod's answer."""

from __future__ import annotations

import json

import msgspec
import pytest

from dashboard.clusters.models import ImportDraft
from dashboard.runs import execution
from dashboard.runs.models import Run
from scheduler_core.explain.waiting_causes import WaitingCauses
from tests.dashboard.agreement.conftest import HERE, MESSAGE, dump
from tests.dashboard.clusters.importing.import_helpers import send
from tests.dashboard.clusters.revisions.test_stored_events import event
from tests.dashboard.helpers import assert_strict_csp
from tests.dashboard.run_helpers import node, pod

ANSWER = "/w/team/runs/1/why/?pod=default/wide"
TOO_MANY = "0/2 nodes: 2."
FOLLOW = f"{HERE}why/1/?pod=default/wide"


def ask(person, pod="default/wide", **more):
    return person.post(f"{HERE}why/", {"pod": pod, **more})


@pytest.mark.slow
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


def preview(person, items):
    content = json.dumps({"apiVersion": "v1", "kind": "List", "items": items}).encode()
    return send(person, ("prod.json", content))


def test_the_import_s_result_lists_pods_that_wait_and_why_saves_it_first(editor, messages):
    others = [pod("silent", "9"), event("silent", TOO_MANY)]
    address = preview(editor, [*dump(), *others])
    page = editor.get(address).content.decode()
    waiting = msgspec.convert(ImportDraft.objects.get().report["waiting"], WaitingCauses)
    assert {pod: row.codes for row in waiting.causes for pod in row.pods} == {
        "default/wide": ("TOO_LARGE",),
        "default/silent": ("TOO_LARGE",),
        "default/fits": ("REAL_SCHEDULER_DIFFERS",),
    }
    assert sum(row.equal + row.differ for row in waiting.causes) == waiting.n_computed == 3
    assert page.count('aria-label="Why? ') == len(waiting.causes)
    form = {"pod": "default/wide", "name": "Prod", "into": "", "once": "a-token"}
    first = editor.post(f"{address}why", form)
    assert first.headers["Location"] == FOLLOW
    assert editor.post(f"{address}why", form).headers["Location"] == FOLLOW, "a second click leads to the same run"
    assert Run.objects.get().revision.cluster.name == "Prod"
    execution.work()
    assert editor.get(FOLLOW).headers["Location"] == ANSWER


def test_why_of_an_import_that_cannot_be_saved_says_so_and_saves_nothing(editor, viewer, messages):
    address = preview(editor, [*dump(), pod("odd", "much")])
    refused = editor.post(f"{address}why", {"pod": "default/wide", "name": "Prod"})
    assert (refused.status_code, Run.objects.count()) == (422, 0)
    assert b"Some objects have errors" in refused.content
    assert viewer.post(f"{address}why", {"pod": "default/wide", "name": "Prod"}).status_code == 403
    gone = editor.post(f"{address}why", {"pod": "default/none", "name": "Prod", "leave_out": "1"})
    assert gone.headers["Location"] == HERE


def test_many_pods_that_wait_for_one_reason_are_one_row(editor):
    page = editor.get(preview(editor, [node("node-a"), *(pod(f"p-{i:02}", "20") for i in range(30))])).content.decode()
    (row,) = msgspec.convert(ImportDraft.objects.get().report["waiting"], WaitingCauses).causes
    assert (row.count, row.codes, row.equal, row.differ) == (30, ("TOO_LARGE",), 0, 0)
    assert page.count('aria-label="Why? ') == 1


def test_a_gated_pod_has_why_too(editor):
    gated = pod("held")
    gated["spec"]["schedulingGates"] = [{"name": "example.org/wait"}]
    address = preview(editor, [node("node-a"), gated])
    form = {"pod": "default/held", "name": "Prod", "into": "", "once": "a-token"}
    assert "/why/" in editor.post(f"{address}why", form).headers["Location"]

"""What would change, as the panel beside the editor asks for it."""

from __future__ import annotations

import re

import pytest

from dashboard.accounts.models import Member, Role
from dashboard.answers import asking
from dashboard.answers.messages import AskResult
from dashboard.answers.outcomes import WaitsFor
from dashboard.clusters.models import ConfigRevision
from dashboard.preview.models import PreviewResult
from dashboard.runs.actions import Launch, create_run
from dashboard.runs.lifecycle import waiting
from tests.dashboard.helpers import assert_strict_csp
from tests.dashboard.preview.conftest import PACKING

HERE = "/w/team/configurations/"
ASK = f"{HERE}what-changes"


@pytest.fixture(autouse=True)
def _nobody_runs(monkeypatch):
    monkeypatch.setattr(waiting, "_send", lambda name: None)


def post(person, text=PACKING, **form):
    return person.post(ASK, {"text": text, "preview_on": "cluster:prod", "asker": "me", **form})


def content(response, status=200):
    assert response.status_code == status
    assert_strict_csp(response.content)
    return response.content.decode()


def test_a_pod_that_moves_is_shown_with_both_nodes_and_the_text_is_not_saved(editor, revision):
    shown = content(post(editor))
    assert 'data-preview-state="answer"' in shown
    assert "<b>1 of 2 pods</b> on Prod r1" in shown
    assert "1 on another node" in shown
    assert "default/new" in shown
    assert "The cause is what differs in their inputs: configuration." in shown
    assert not ConfigRevision.objects.exists()


def test_a_preset_against_its_own_text_changes_nothing(editor, revision):
    from scheduler_core.profiles.presets import PRESETS

    shown = content(post(editor, PRESETS["most-allocated"].text, before="preset:most-allocated"))
    assert "<b>0 of 2 pods</b>" in shown
    assert "All events of both runs are the same." in shown


def test_a_group_is_listed_alone(editor, revision):
    assert "default/new" in content(post(editor, group="moved"))
    assert "default/new" not in content(post(editor, group="placed only in A"))
    assert post(editor, group="none").status_code == 400


def test_an_error_in_the_text_says_where_and_nothing_is_computed(editor, revision, monkeypatch):
    monkeypatch.setattr(asking, "_transport", lambda: pytest.fail("it was asked"))
    shown = content(post(editor, "kind: KubeSchedulerConfiguration\napiVersion: [}\n"))
    assert 'data-preview-state="failed"' in shown
    assert "line 2" in shown


def test_a_hostile_text_or_name_stays_text(editor, revision):
    shown = content(post(editor, PACKING.replace("MostAllocated", "</p><script>alert(1)</script>")))
    assert "<script>" not in shown
    assert post(editor, before="../../x").status_code == 404
    assert post(editor, preview_on="cluster:none").status_code == 404


def test_a_worker_that_is_not_there_is_said_and_the_same_turn_asked_again(editor, revision, monkeypatch):
    monkeypatch.setattr(asking, "_transport", lambda: lambda asked: AskResult(waits_for=WaitsFor.WORKER))
    shown = content(post(editor, turn="3"))
    assert "Waiting for an answer worker; none replies" in shown
    assert 'data-preview-state="waiting"' in shown
    assert "turn=3" in shown


def test_a_stored_result_comes_at_once_with_its_address_and_when_it_was_computed(editor, revision, monkeypatch):
    content(post(editor))
    monkeypatch.setattr(asking, "_transport", lambda: pytest.fail("it was asked"))
    shown = content(post(editor, group="moved", automatic="1"))
    assert "1 on another node" in shown
    assert f'href="{HERE}what-changes/{PreviewResult.objects.get().pk}/"' in shown
    assert "Computed <time" in shown
    assert not PreviewResult.objects.get().is_automatic


def test_a_run_is_tried_with_its_own_inputs(editor, workspace, revision):
    member = Member.objects.select_related("workspace", "user").get(workspace=workspace, role=Role.ADMIN)
    run = create_run(member, Launch(revision, schedule="pending", seed=5))
    shown = content(post(editor, preview_on=f"run:{run.number}"))
    assert "1 on another node" in shown
    assert f"differ from those of a run with the configuration of run {run.number}." in re.sub(r"\s+", " ", shown)
    assert f'value="run:{run.number}"' in editor.get(f"{HERE}new/").content.decode()
    assert post(editor, preview_on="run:99").status_code == 404
    assert post(editor, preview_on="run:x").status_code == 404


def test_a_viewer_has_nothing_to_press_and_is_refused(viewer, stranger, editor, revision):
    assert b"data-preview-ask" in editor.get(f"{HERE}new/").content
    assert b"data-preview-ask" not in viewer.get(f"{HERE}default/").content
    assert post(viewer).status_code == 403
    assert post(stranger).status_code == 404


def test_without_a_cluster_the_editor_says_so(editor, workspace):
    assert b"There is no cluster to try it on." in editor.get(f"{HERE}new/").content

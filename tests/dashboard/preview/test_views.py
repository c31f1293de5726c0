"""What would change, as the panel beside the editor asks for it."""

from __future__ import annotations

from urllib.parse import unquote

import pytest

from dashboard.accounts.models import Member, Role
from dashboard.clusters.models import Cluster
from dashboard.clusters.revisions import object_store
from dashboard.clusters.revisions.object_store import Saving
from dashboard.documents.actions import NewText
from dashboard.documents.configurations.actions import save_config
from dashboard.documents.models import ConfigRevision
from dashboard.preview import actions, computing
from dashboard.preview.models import Computation, PreviewResult
from dashboard.runs.actions import Launch, create_run
from dashboard.runs.lifecycle import waiting
from scheduler_core.compare.pods import MOVED
from tests.dashboard.helpers import assert_strict_csp
from tests.dashboard.preview.conftest import PACKING
from tests.dashboard.run_helpers import node, pod

HERE = "/w/team/configurations/"
ASK = f"{HERE}what-changes"


pytestmark = pytest.mark.usefixtures("worker")


def post(person, text=PACKING, **form):
    return person.post(ASK, {"text": text, "preview_on": "cluster:prod", **form})


def content(response, status=200):
    assert response.status_code == status
    assert_strict_csp(response.content)
    return response.content.decode()


def test_a_pod_that_moves_is_shown_with_both_nodes_and_the_text_is_not_saved(editor, revision):
    response = post(editor)
    shown, panel = content(response), response.context["panel"]
    assert 'data-preview-state="answer"' in shown
    assert "<b>1 of 2 pods</b>" in shown
    assert (panel.subject, panel.changes.groups) == ("Prod r1", {MOVED: 1})
    assert [(row.pod, row.before, row.after) for row in panel.rows] == [("default/new", "b", "a")]
    assert panel.changes.divergence is not None
    assert not ConfigRevision.objects.exists()


def test_a_preset_against_its_own_text_changes_nothing(editor, revision):
    from scheduler_core.profiles.presets import PRESETS

    response = post(editor, PRESETS["most-allocated"].text, before="preset:most-allocated")
    assert "<b>0 of 2 pods</b>" in content(response)
    assert response.context["panel"].changes.divergence is None


def test_a_group_is_listed_alone(editor, revision):
    assert "<bdi>default/new</bdi>" in content(post(editor, group="moved"))
    assert "<bdi>default/new</bdi>" not in content(post(editor, group="placed only in A"))
    assert post(editor, group="none").status_code == 400


def test_an_error_in_the_text_says_where_and_nothing_is_computed(editor, revision, monkeypatch):
    monkeypatch.setattr(waiting, "wake_task", lambda name: pytest.fail("it was asked"))
    shown = content(post(editor, "kind: KubeSchedulerConfiguration\napiVersion: [}\n"))
    assert 'data-preview-state="failed"' in shown
    assert "line 2" in shown


def test_a_hostile_text_or_name_stays_text(editor, revision):
    shown = content(post(editor, PACKING.replace("MostAllocated", "</p><script>alert(1)</script>")))
    assert "<script>" not in shown
    assert post(editor, before="../../x").status_code == 404
    assert post(editor, preview_on="cluster:none").status_code == 404


def test_while_it_waits_it_names_its_page_and_where_to_cancel_it(editor, revision, monkeypatch):
    monkeypatch.setattr(waiting, "wake_task", lambda name: None)
    shown = content(post(editor))
    page = f"{HERE}what-changes/computing/{Computation.objects.get().pk}/"
    assert 'data-preview-state="waiting"' in shown
    assert f'data-preview-again="{page}?panel=1"' in shown
    assert f'data-preview-cancels="{page}cancel"' in shown
    assert f'hx-get="{ASK}/computed"' in shown


def test_a_look_finds_what_others_asked_for_and_begins_nothing(editor, owner, revision, monkeypatch):
    assert 'data-preview-state="none"' in content(post(editor, look="1"))
    assert not Computation.objects.exists()
    monkeypatch.setattr(waiting, "wake_task", lambda name: None)
    content(post(owner))
    assert 'data-preview-state="waiting"' in content(post(editor, look="1"))
    computing.work()
    assert "<b>1 of 2 pods</b>" in content(post(editor, look="1"))


def test_more_than_a_workspace_may_ask_for_is_refused(editor, revision, monkeypatch):
    monkeypatch.setattr(actions, "MOST_ASKED", 0)
    refused = post(editor)
    assert refused.status_code == 429
    assert "have not ended" in unquote(refused["X-Problem"])


def test_the_list_says_what_is_computed(editor, viewer, revision, monkeypatch):
    monkeypatch.setattr(waiting, "wake_task", lambda name: None)
    save_config(editor.member, None, NewText("Packing", PACKING))
    content(post(editor, before="packing@1", text=f"{PACKING}# 1\n"))
    response = viewer.get(f"{ASK}/computed?document=packing")
    shown = content(response)
    assert [one.state for one in response.context["listed"].progress] == ["waiting"]
    assert 'hx-trigger="every 2s"' in shown
    computing.work()
    done = content(viewer.get(f"{ASK}/computed?document=packing"))
    assert "hx-trigger" not in done
    assert f"what-changes/{PreviewResult.objects.get().pk}/" in done
    assert "Nothing was computed" in content(viewer.get(f"{ASK}/computed"))
    assert viewer.get(f"{ASK}/computed?document=none").status_code == 404


def test_the_page_chooses_what_was_asked_about_last(editor, workspace, revision):
    other = Cluster.objects.create(workspace=workspace, slug="aaa", name="Aaa")
    object_store.save_revision(other, [node("a", "8"), pod("new", "1")], Saving(None))
    first = " ".join(content(editor.get(f"{HERE}new/")).split())
    assert 'value="cluster:aaa" data-pods="1" selected' in first
    content(post(editor))
    shown = " ".join(content(editor.get(f"{HERE}new/")).split())
    assert 'value="cluster:prod" data-pods="2" selected' in shown


def test_a_stored_result_comes_at_once_with_its_address_and_when_it_was_computed(editor, revision, monkeypatch):
    content(post(editor))
    monkeypatch.setattr(waiting, "wake_task", lambda name: pytest.fail("it was asked"))
    response = post(editor, group="moved", automatic="1")
    shown = content(response)
    assert response.context["panel"].changes.groups == {MOVED: 1}
    assert f'href="{HERE}what-changes/{PreviewResult.objects.get().pk}/"' in shown
    assert "Computed <time" in shown
    assert not PreviewResult.objects.get().is_automatic


def test_a_run_is_tried_with_its_own_inputs(editor, workspace, revision):
    member = Member.objects.select_related("workspace", "user").get(workspace=workspace, role=Role.ADMIN)
    run = create_run(member, Launch(revision, schedule="pending", seed=5))
    panel = post(editor, preview_on=f"run:{run.number}").context["panel"]
    assert panel.changes.groups == {MOVED: 1}
    assert panel.before.endswith(f"of run {run.number}")
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


def test_words(editor, revision):
    from scheduler_core.profiles.presets import PRESETS

    shown = content(post(editor))
    sentences = (
        "<b>1 of 2 pods</b> on Prod r1 differ from those of a run with",
        "The cause is what differs in their inputs: configuration.",
    )
    assert [one for one in sentences if one not in shown] == []
    same = content(post(editor, PRESETS["most-allocated"].text, before="preset:most-allocated"))
    assert "All events of both runs are the same." in same


def test_words_of_a_run(editor, workspace, revision):
    member = Member.objects.select_related("workspace", "user").get(workspace=workspace, role=Role.ADMIN)
    run = create_run(member, Launch(revision, schedule="pending", seed=5))
    shown = content(post(editor, preview_on=f"run:{run.number}"))
    assert f"differ from those of a run with the configuration of run {run.number}." in shown

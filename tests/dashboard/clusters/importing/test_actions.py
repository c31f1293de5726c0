"""Import: what is shown before anything is stored, what can be corrected, what the limits refuse."""

from __future__ import annotations

import re
from datetime import timedelta
from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.utils import timezone

from dashboard.clusters.importing import actions as imports
from dashboard.clusters.importing import views
from dashboard.clusters.models import Cluster, ImportDraft
from dashboard.clusters.revisions import actions
from dashboard.clusters.uploads.opening import Upload
from scheduler_core.manifests import dump_yaml
from tests.dashboard.clusters.background.task_helpers import led
from tests.dashboard.clusters.conftest import draft, node, pod
from tests.dashboard.clusters.importing.import_helpers import send
from tests.dashboard.helpers import assert_strict_csp

SHARED = Path(__file__).parents[5] / "shared" / "data"
BAD_POD = dump_yaml([pod("bad", cpu="4 cores")])


def test_nothing_is_stored_before_it_is_saved(editor):
    url = send(editor, ("nodes.yaml", dump_yaml([node("n1"), node("n2")]).encode()))
    assert not Cluster.objects.exists()
    page = editor.get(url).content.decode()
    assert_strict_csp(page)
    assert "Import 2 objects" in page


def test_files_are_added_and_taken_out(editor):
    url = send(editor, ("n.yaml", dump_yaml([node("n")]).encode()))
    editor.post(url + "files", {"files": [SimpleUploadedFile("n.yaml", dump_yaml([node("m")]).encode())]})
    assert list(ImportDraft.objects.get().files.values_list("name", flat=True)) == ["n.yaml", "2-n.yaml"]
    editor.post(url + "files", {"remove": "0"})
    assert ImportDraft.objects.get().report["objects"] == 1
    editor.post(url + "files", {"remove": "0"})
    assert not ImportDraft.objects.exists()


def test_old_drafts_go_away(editor):
    made = [draft(editor, dump_yaml([node("n")])) for _ in range(imports.KEPT_PER_USER + 2)]
    assert ImportDraft.objects.count() == imports.KEPT_PER_USER
    ImportDraft.objects.filter(pk=made[-1].pk).update(expires_at=timezone.now() - timedelta(seconds=1))
    assert editor.get(f"/w/team/import/{made[-1].pk}/").status_code == 404
    draft(editor, dump_yaml([node("n")]))
    assert not ImportDraft.objects.filter(pk=made[-1].pk).exists()


def test_nothing_to_import_is_said(editor):
    response = editor.post("/w/team/import/", {"text": "   "})
    assert response.status_code == 422
    assert "There is nothing to import" in response.content.decode()


@pytest.mark.slow
@pytest.mark.skipif(not (SHARED / "openb").exists(), reason="the shared data is not here")
@pytest.mark.long
def test_a_cluster_of_8152_pods_is_imported_and_shown(editor, viewer):
    names = ["nodes.json.gz", "pods-gpushare.json.gz", "priorityclasses.json.gz"]
    url = send(editor, *((name, (SHARED / "openb" / name).read_bytes()) for name in names))
    assert "Import 9,679 objects" in editor.get(url).content.decode()
    led(editor, editor.post(url + "save", {"name": "openb"}))
    assert "50 of 8,152" in viewer.get("/w/team/clusters/openb/pods/?sort=-cpu").content.decode()


@pytest.mark.skipif(not (SHARED / "cluster-dumps").exists(), reason="the shared data is not here")
def test_a_real_dump_is_imported_as_it_is(editor):
    content = (SHARED / "cluster-dumps" / "openshift-2node-list.json").read_bytes()
    url = send(editor, ("openshift.json", content))
    assert editor.post(url + "save", {"name": "openshift"}).status_code == 302
    page = editor.get("/w/team/clusters/openshift/").content.decode()
    assert "2 nodes" in page
    assert actions.newest_revision(Cluster.objects.get()).counts == {"Node": 2, "Pod": 30, "PodDisruptionBudget": 1}


@pytest.mark.parametrize(
    ("names", "suggested"),
    [
        (["prod-eu.json.gz"], "prod-eu"),
        (["prod-eu-nodes.json", "prod-eu-pods.yaml"], "prod-eu"),
        (["pasted.yaml"], ""),
        (["pasted.yaml", "prod.yaml"], "prod"),
    ],
)
def test_the_suggested_name_is_what_the_files_share(names, suggested):
    assert views._suggested(names) == suggested


def test_files_that_share_no_name_are_counted(editor):
    assert re.fullmatch(r"2 files of \d\d \w{3} \d{4}", views._suggested(["a.json", "b.json"]))


def test_a_doubt_is_not_shown_as_an_error(editor):
    wrong_version = dump_yaml([{**pod("a"), "spec": {**pod("a")["spec"], "tolerationz": []}}])
    draft = imports.new_draft(editor.member, [Upload("a.yaml", wrong_version.encode())])
    page = editor.get(f"/w/team/import/{draft.pk}/").content.decode()
    assert 'class="bad is-doubt"' in page
    assert "m-error" not in page.split('id="import-findings"')[1].split('class="excerpt"')[1]

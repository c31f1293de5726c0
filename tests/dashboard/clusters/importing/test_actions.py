"""Import: what is shown before anything is stored, what can be corrected, what the limits refuse."""

from __future__ import annotations

import gzip
import json
import re
from datetime import timedelta
from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.utils import timezone

from dashboard.accounts.models import AuditEntry
from dashboard.clusters.importing import actions as imports
from dashboard.clusters.importing import views
from dashboard.clusters.importing.actions import ImportTarget
from dashboard.clusters.importing.intake import Upload
from dashboard.clusters.models import Cluster, ImportDraft
from dashboard.clusters.revisions import actions, object_store
from scheduler_core.manifests import dump_yaml
from tests.dashboard.clusters.conftest import draft, node, pod, small
from tests.dashboard.clusters.importing.import_helpers import send
from tests.dashboard.helpers import assert_strict_csp

SHARED = Path(__file__).parents[5] / "shared" / "data"
BAD_POD = dump_yaml([pod("bad", cpu="4 cores")])


def test_nothing_is_stored_before_it_is_saved(editor):
    url = send(editor, ("nodes.yaml", dump_yaml([node("n1"), node("n2")]).encode()))
    assert not Cluster.objects.exists()
    page = editor.get(url).content.decode()
    assert_strict_csp(page)
    assert "Nothing is saved yet" in page
    assert "Import 2 objects" in page


def test_saving_makes_a_cluster_and_forgets_the_files(editor):
    url = send(
        editor,
        ("a.json.gz", gzip.compress(json.dumps({"kind": "List", "apiVersion": "v1", "items": small()}).encode())),
    )
    response = editor.post(url + "save", {"name": "from a dump"})
    assert response["Location"] == "/w/team/clusters/from-a-dump/"
    revision = actions.newest_revision(Cluster.objects.get())
    assert object_store.read_manifests(revision) == small()
    assert (revision.author, revision.source) == (editor.user, "import of a.json.gz")
    assert not ImportDraft.objects.exists()
    assert AuditEntry.objects.filter(action="cluster.created", object="from a dump").exists()


def test_saving_into_a_cluster_adds_a_revision(editor, cluster):
    url = send(editor, ("a.yaml", dump_yaml([node("only")]).encode()), cluster="prod")
    assert "Import into prod" in editor.get(url).content.decode()
    editor.post(url + "save", {"into": "prod", "message": "shrunk"})
    revision = actions.newest_revision(cluster)
    assert (revision.number, revision.message, revision.counts) == (2, "shrunk", {"Node": 1})


def test_errors_keep_an_import_from_being_saved_until_they_are_corrected(editor):
    url = send(editor, ("good.yaml", dump_yaml([node("n")]).encode()), ("bad.yaml", BAD_POD.encode()))
    refused = editor.post(url + "save", {"name": "c"})
    assert refused.status_code == 422
    assert "Correct them, or leave them out" in refused.content.decode()
    assert not Cluster.objects.exists()
    editor.post(url + "files/1/", {"text": BAD_POD.replace("4 cores", "4")})
    assert editor.post(url + "save", {"name": "c"}).status_code == 302
    assert actions.newest_revision(Cluster.objects.get()).counts == {"Node": 1, "Pod": 1}


def test_objects_with_errors_can_be_left_out(editor):
    url = send(editor, ("mixed.yaml", (dump_yaml([node("n"), pod("ok")]) + "---\n" + BAD_POD).encode()))
    editor.post(url + "save", {"name": "c", "leave_out": "1"})
    revision = actions.newest_revision(Cluster.objects.get())
    assert revision.counts == {"Node": 1, "Pod": 1}
    assert "1 objects with errors left out" in revision.message


def test_a_file_that_breaks_off_cannot_be_left_out(editor):
    text = dump_yaml([node("n")]) + "---\nkind: [\n"
    made = draft(editor, text)
    response = editor.post(f"/w/team/import/{made.pk}/save", {"name": "c", "leave_out": "1"})
    assert response.status_code == 422
    assert "could not be read to its end" in response.content.decode()
    assert not Cluster.objects.exists()


def test_a_name_that_is_taken_loses_nothing(editor, cluster):
    url = send(editor, ("n.yaml", dump_yaml([node("n")]).encode()))
    response = editor.post(url + "save", {"name": "prod"})
    assert response.status_code == 422
    assert "exists. Choose another name" in response.content.decode()
    assert editor.post(url + "save", {"name": "prod 2"}).status_code == 302


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
def test_a_cluster_of_8152_pods_is_imported_and_shown(editor, viewer):
    names = ["nodes.json.gz", "pods-gpushare.json.gz", "priorityclasses.json.gz"]
    url = send(editor, *((name, (SHARED / "openb" / name).read_bytes()) for name in names))
    assert "Import 9,679 objects" in editor.get(url).content.decode()
    assert editor.post(url + "save", {"name": "openb"}).status_code == 302
    assert "1 to 50 of 8,152 pods" in viewer.get("/w/team/clusters/openb/pods/?sort=-cpu").content.decode()


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


def test_the_message_counts_and_the_source_names_the_files(editor):
    uploads = [Upload(f"{name}.yaml", dump_yaml([node(name)]).encode()) for name in "abc"]
    draft = imports.new_draft(editor.member, uploads)
    revision = imports.save(editor.member, draft, ImportTarget(None, "prod"))
    assert revision.message == "3 objects from 3 files"
    assert revision.source == "import of a.yaml, b.yaml, c.yaml"


def test_a_doubt_is_not_shown_as_an_error(editor):
    wrong_version = dump_yaml([{**pod("a"), "spec": {**pod("a")["spec"], "tolerationz": []}}])
    draft = imports.new_draft(editor.member, [Upload("a.yaml", wrong_version.encode())])
    page = editor.get(f"/w/team/import/{draft.pk}/").content.decode()
    assert 'class="bad is-doubt"' in page
    assert "m-error" not in page.split('id="import-findings"')[1].split('class="excerpt"')[1]

"""Secrets of imported files reach neither drafts nor revisions, unless somebody chose to keep them."""

from __future__ import annotations

import io
import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command

from dashboard.clusters.importing import actions as imports
from dashboard.clusters.importing.intake import mask_uploads
from dashboard.clusters.models import Cluster, Draft, ImportDraft
from dashboard.clusters.revisions import actions, object_store
from dashboard.clusters.uploads.opening import Upload, opened
from dashboard.documents import store
from dashboard.documents.models import TimelineRevision
from dashboard.runs.lifecycle import waiting
from scheduler_core.manifests import dump_yaml
from tests.dashboard.clusters.conftest import draft, node, pod

SECRET = "hunter2"


def secret_pod(name="web-1"):
    """Return a pod with a secret in each place."""
    raw = pod(name)
    raw["metadata"]["annotations"] = {"example.org/token": SECRET, "example.org/note": "kept"}
    raw["spec"]["containers"][0].update(args=[f"--password={SECRET}"], env=[{"name": "A", "value": SECRET}])
    return raw


def text_of(*raws):
    """Return the manifests as YAML, with a Secret behind them."""
    secret = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s"}, "stringData": {"k": SECRET}}
    return dump_yaml([*raws, secret])


def everything():
    """Return all values of all tables as one text, compressed ones opened."""
    dump = io.StringIO()
    call_command("dumpdata", stdout=dump)
    texts = [dump.getvalue()]
    texts += [
        up.data.decode("utf-8", "replace") for one in ImportDraft.objects.all() for up in imports.stored_uploads(one)
    ]
    for cluster in Cluster.objects.all():
        texts += [str(object_store.read_manifests(revision)) for revision in cluster.revisions.all()]
    return "\n".join(texts)


def test_nothing_secret_reaches_the_database(editor):
    made = draft(editor, text_of(node("n"), secret_pod()))
    assert sum(made.report["masked"].values()) == 4
    assert SECRET not in everything()
    editor.post(f"/w/team/import/{made.pk}/save", {"name": "c"})
    (cluster,) = Cluster.objects.all()
    assert SECRET not in everything()
    manifests = object_store.read_manifests(actions.newest_revision(cluster))
    container = manifests[1]["spec"]["containers"][0]
    assert (container["args"], container["env"]) == (["***"], [{"name": "A", "value": "***"}])
    assert manifests[1]["metadata"]["annotations"] == {"example.org/token": "***", "example.org/note": "kept"}
    assert container["resources"] == secret_pod()["spec"]["containers"][0]["resources"]


def test_the_choice_is_on_the_page_and_what_was_masked_too(editor):
    page = editor.get("/w/team/import/").content.decode()
    assert 'name="keep_values"' in page
    assert "checked" not in page.split('name="keep_values"')[1].split(">")[0]
    made = draft(editor, text_of(secret_pod()))
    page = editor.get(f"/w/team/import/{made.pk}/").content.decode()
    assert "<td>environment variables</td>" in page
    assert SECRET not in page
    made = draft(editor, dump_yaml([node("n")]))
    assert made.report["masked"] == {}
    assert "<td>environment variables</td>" not in editor.get(f"/w/team/import/{made.pk}/").content.decode()


def test_values_are_kept_where_somebody_chose_so(editor):
    editor.post("/w/team/import/", {"text": text_of(secret_pod()), "keep_values": "1"})
    (made,) = ImportDraft.objects.all()
    assert made.report["masked"] == {}
    editor.post(
        f"/w/team/import/{made.pk}/files", {"files": [SimpleUploadedFile("n.yaml", dump_yaml([node("n")]).encode())]}
    )
    editor.post(f"/w/team/import/{made.pk}/save", {"name": "c"})
    manifests = object_store.read_manifests(actions.newest_revision(Cluster.objects.get()))
    assert manifests[0]["spec"]["containers"][0]["env"] == [{"name": "A", "value": SECRET}]


def test_files_added_and_corrected_are_masked_too(editor):
    made = draft(editor, dump_yaml([node("n")]))
    url = f"/w/team/import/{made.pk}/files"
    editor.post(url, {"files": [SimpleUploadedFile("p.yaml", text_of(secret_pod()).encode())]})
    editor.post(f"{url}/0/", {"text": text_of(secret_pod("web-2"))})
    assert ImportDraft.objects.get().report["masked"]["environment variables"] == 2
    assert SECRET not in everything()


def test_a_file_that_cannot_be_read_is_not_kept_and_is_corrected_or_left_out(editor):
    broken = f"kind: [\nenv: {SECRET}\n"
    made = draft(editor, dump_yaml([node("n")]), broken)
    assert SECRET not in everything()
    page = editor.get(f"/w/team/import/{made.pk}/").content.decode()
    line = made.report["findings"][0]["line"]
    assert line > 1
    assert f"<span>:{line}</span>" in page
    assert made.report["unread"]
    url = f"/w/team/import/{made.pk}/"
    assert "1 file" in page or "no folder" in page
    editor.post(url + "files", {"files": [SimpleUploadedFile("m.yaml", dump_yaml([node("m")]).encode())]})
    assert editor.post(url + "save", {"name": "c"}).status_code == 422
    editor.post(url + "files/1/", {"text": dump_yaml([node("o")])})
    assert editor.post(url + "save", {"name": "c"}).status_code == 302
    assert actions.newest_revision(Cluster.objects.get()).counts == {"Node": 3}


def test_edits_and_export_work_on_what_was_masked(editor):
    made = draft(editor, text_of(secret_pod()))
    editor.post(f"/w/team/import/{made.pk}/save", {"name": "c"})
    exported = editor.get("/w/team/clusters/c/object/export?kind=Pod&ns=default&name=web-1").content
    again = mask_uploads([Upload("again.yaml", exported)], keeps_values=False)
    assert again.uploads[0].data == exported
    changed = exported.decode().replace("500m", "250m")
    data = {"kind": "Pod", "ns": "default", "name": "web-1", "text": changed, "base": "1"}
    put = editor.post("/w/team/clusters/c/object/save?kind=Pod&ns=default&name=web-1", data)
    assert put.status_code == 302
    assert editor.post(f"/w/team/clusters/c/drafts/{Draft.objects.get().pk}/save", {}).status_code == 302
    assert actions.newest_revision(Cluster.objects.get()).number == 2


@pytest.mark.parametrize(("options", "value"), [((), "***"), (("--keep-values",), SECRET)])
def test_start_run_masks_unless_it_is_told_not_to(owner, tmp_path, monkeypatch, options, value):
    monkeypatch.setattr(waiting, "_send", lambda name: None)
    path = tmp_path / "cluster.yaml"
    path.write_text(text_of(secret_pod()))
    timeline = tmp_path / "later.yaml"
    timeline.write_text(dump_yaml([{"entries": [{"at": "1s", "action": "delete", "object": secret_pod()}]}]))
    call_command("start_run", str(path), "--timeline", str(timeline), *options, stdout=io.StringIO())
    (entry,) = store.read_timeline(TimelineRevision.objects.get())["entries"]
    assert entry["object"]["spec"]["containers"][0]["env"] == [{"name": "A", "value": value}]
    (manifest,) = object_store.read_manifests(actions.newest_revision(Cluster.objects.get()))
    assert manifest["spec"]["containers"][0]["env"] == [{"name": "A", "value": value}]


def test_secrets_of_an_export_of_another_program_are_masked():
    raw = secret_pod()
    del raw["kind"], raw["apiVersion"]
    files = opened([Upload("export.json", json.dumps({"pods": [raw], "nodes": []}).encode())])
    (masked,) = mask_uploads(files, keeps_values=False).uploads
    assert json.loads(masked.data)["items"][0]["kind"] == "Pod"
    assert SECRET not in masked.data.decode()


@pytest.mark.parametrize(
    ("texts", "form", "sentence"),
    [
        ([dump_yaml([node("n")])], {}, "Nothing in these files looks like a secret."),
        ([dump_yaml([node("n")])], {}, "Nothing is saved yet."),
        ([text_of(secret_pod())], {"keep_values": "1"}, "Everybody in this workspace will see them."),
        (["kind: [\n"], {}, "Of a file that could not be read nothing is kept."),
        (["kind: [\n"], {}, "so what is secret in it is not known and nothing of it is kept"),
    ],
)
def test_words(editor, texts, form, sentence):
    files = [SimpleUploadedFile(f"{i}.yaml", text.encode()) for i, text in enumerate(texts)]
    editor.post("/w/team/import/", {"files": files, **form})
    assert sentence in editor.get(f"/w/team/import/{ImportDraft.objects.get().pk}/").content.decode()


def test_words_of_what_was_masked(editor):
    assert draft(editor, text_of(secret_pod())).report["masked"] == {
        "environment variables": 1,
        "commands and arguments": 1,
        "annotations": 1,
        "objects of other kinds": 1,
    }

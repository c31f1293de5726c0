"""Pages of an import: the preview, findings in pages, files that cannot be read."""

from __future__ import annotations

import io
import json
import re
import zipfile
from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from dashboard.clusters.importing import saving
from dashboard.clusters.models import Cluster, ImportDraft, ObjectBlob
from scheduler_core.manifests import dump_yaml
from tests.dashboard.clusters.conftest import node, pod
from tests.dashboard.clusters.importing.import_helpers import send
from tests.dashboard.helpers import assert_strict_csp

SHARED = Path(__file__).parents[5] / "shared" / "data"


def test_findings_are_paged_and_filtered(editor):
    text = "---\n".join(dump_yaml([pod(f"bad-{n}", cpu="x y")]) for n in range(40))
    url = send(editor, ("bad.yaml", text.encode()))
    part = editor.get(url + "?page=2&severity=error", headers={"HX-Request": "true"}).content.decode()
    assert part.lstrip().startswith('<section class="panel" id="import-findings">')
    assert "24 of 40" in part
    assert "None of these" in editor.get(url + "?severity=warning").content.decode()


def test_the_box_that_leaves_errors_out_has_to_be_ticked_also_before_scripts_have_started(editor):
    url = send(editor, ("mixed.yaml", (dump_yaml([node("n")]) + "---\n" + dump_yaml([pod("p", cpu="x y")])).encode()))
    box = re.search(r"<input[^>]*data-leave-out[^>]*>", editor.get(url).content.decode())
    assert re.search(r"\srequired\s", box[0])


def test_htmx_is_led_to_the_preview_and_told_of_problems(editor):
    response = editor.post("/w/team/import/", {"text": dump_yaml([node("n")])}, headers={"HX-Request": "true"})
    assert (response.status_code, response["HX-Redirect"]) == (204, f"/w/team/import/{ImportDraft.objects.get().pk}/")
    response = editor.post("/w/team/import/", {"text": ""}, headers={"HX-Request": "true"})
    assert response.status_code == 400
    assert "Choose%20files" in response["X-Problem"]


def archive(*entries):
    """Return a zip with these entries."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, text in entries:
            packed.writestr(name, text)
    return out.getvalue()


def test_an_archive_is_imported_like_its_files(editor):
    packed = archive(("a/n.yaml", dump_yaml([node("n")])), ("b/n.yaml", dump_yaml([pod("bad", cpu="x y")])))
    url = send(editor, ("dump.zip", packed))
    html = editor.get(url).content.decode()
    assert "dump.zip/a/n.yaml" in html
    assert "dump.zip/b/n.yaml" in html
    assert "x y" in html
    saved = editor.post(url + "save", {"name": "of an archive", "leave_out": "1"})
    assert saved.status_code == 302
    assert Cluster.objects.get(name="of an archive").revisions.get().counts == {"Node": 1}


def test_a_hostile_archive_is_refused_with_the_names_of_archive_and_entry(editor):
    for name, reason in (("../n.yaml", "leads out of the archive"), ("/n.yaml", "absolute name")):
        upload = SimpleUploadedFile("evil.zip", archive(("ok.yaml", "a: 1"), (name, "a: 1")))
        response = editor.post("/w/team/import/", {"files": [upload]})
        assert response.status_code == 422
        html = response.content.decode()
        assert f"evil.zip: {name}" in html
        assert reason in html
    assert not ImportDraft.objects.exists()
    url = send(editor, ("n.yaml", dump_yaml([node("n")]).encode()))
    upload = SimpleUploadedFile("evil.zip", archive(("../n.yaml", "a: 1")))
    assert editor.post(url + "files", {"files": [upload]}, headers={"HX-Request": "true"}).status_code == 400
    assert ImportDraft.objects.get().files.count() == 1


def test_of_a_folder_only_manifests_are_taken(editor):
    folder = [SimpleUploadedFile("n.yaml", dump_yaml([node("n")]).encode()), SimpleUploadedFile("logo.png", b"x")]
    response = editor.post("/w/team/import/", {"folder": folder})
    assert response.status_code == 302
    assert [file.name for file in ImportDraft.objects.get().files.all()] == ["n.yaml"]


def test_many_files_are_listed_in_pages(editor):
    packed = archive(*((f"n{n:02}.yaml", dump_yaml([node(f"n{n}")])) for n in range(70)))
    url = send(editor, ("dump.zip", packed))
    assert "30 of 70" in editor.get(url).content.decode()
    third = editor.get(url + "?files=3").content.decode()
    assert "dump.zip/n69.yaml" in third
    assert "dump.zip/n00.yaml" not in third


def malformed():
    """Return the cluster files of the shared corpus of bad inputs, with the verdict of its index."""
    index = SHARED / "malformed" / "index.json"
    if not index.exists():
        return []
    entries = json.loads(index.read_text())["files"]
    return [(one["file"], one["verdict"]) for one in entries if one["as"] == "cluster"]


@pytest.mark.slow
@pytest.mark.essential
@pytest.mark.skipif(not SHARED.exists(), reason="the shared data is not here")
def test_every_malformed_file_gets_a_page_and_rejected_ones_are_not_saved(editor):
    for name, verdict in malformed():
        content = (SHARED / "malformed" / name).read_bytes()
        url = send(editor, (name, content))
        page = editor.get(url)
        assert page.status_code == 200, name
        assert_strict_csp(page.content)
        if verdict == "reject":
            saved = editor.post(url + "save", {"name": name[:100]})
            assert saved.status_code in (400, 422), name
            assert name in saved.content.decode(), name
    assert not Cluster.objects.exists()


def test_objects_are_stored_before_the_transaction_that_saves_an_import(editor, monkeypatch):
    url = send(editor, ("dump.yaml", dump_yaml([node("n")]).encode()))
    stored, save = [], saving.save_contents
    monkeypatch.setattr(
        saving, "save_contents", lambda *given: stored.append(ObjectBlob.objects.count()) or save(*given)
    )
    assert editor.post(f"{url}save", {"name": "dump"}).status_code == 302
    # The object, the page that lists the revision's objects, and what is not played.
    assert stored == [3]
    assert ObjectBlob.objects.count() == 3

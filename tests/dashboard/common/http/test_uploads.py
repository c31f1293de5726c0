"""Uploads that are too large, or too many, are refused before they are read."""

from __future__ import annotations

from urllib.parse import unquote

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from dashboard.clusters.importing import reading
from dashboard.clusters.models import ImportDraft
from scheduler_core.manifests import dump_yaml
from tests.dashboard.clusters.conftest import draft, node


def test_too_much_is_refused_before_it_is_read(editor, settings, monkeypatch):
    settings.UPLOAD_MAX_BYTES = 1000
    monkeypatch.setattr(reading, "load", lambda _uploads: pytest.fail("it was read"))
    response = editor.post("/w/team/import/", {"files": [SimpleUploadedFile("big.yaml", b"a" * 1001)]})
    assert response.status_code == 413
    assert not ImportDraft.objects.exists()


@pytest.mark.parametrize("page", ["/w/team/import/", "import of a draft"])
def test_more_files_than_the_limit_are_refused_with_the_number(editor, page, caplog, settings):
    settings.DATA_UPLOAD_MAX_NUMBER_FILES = 20
    if page == "import of a draft":
        page = f"/w/team/import/{draft(editor, dump_yaml([node('n')])).pk}/files"
    files = [SimpleUploadedFile(f"{n}.yaml", dump_yaml([node(f"n{n}")]).encode()) for n in range(21)]
    response = editor.post(page, {"files": files}, headers={"HX-Request": "true"})
    assert response.status_code == 413
    message = "More than 20 files were sent at once; the limit is 20. Send them in parts, or as one file."
    assert unquote(response["X-Problem"]) == message
    assert [(record.levelname, record.exc_info) for record in caplog.records] == [("WARNING", None)]


def test_files_of_an_import_in_parts_have_the_same_limit(editor, settings):
    settings.DATA_UPLOAD_MAX_NUMBER_FILES = 20
    one = draft(editor, *(dump_yaml([node(f"n{n}")]) for n in range(20)))
    more = SimpleUploadedFile("more.yaml", dump_yaml([node("more")]).encode())
    response = editor.post(f"/w/team/import/{one.pk}/files", {"files": [more]})
    assert response.status_code == 413
    assert "21 files are more than the 20 that one import takes" in response.content.decode()


def test_a_body_that_claims_to_be_too_large_is_not_even_taken_in(editor, settings):
    settings.UPLOAD_MAX_BYTES = 1000
    body = b"a" * (2 << 20)
    response = editor.post("/w/team/import/", body, content_type="application/octet-stream")
    assert response.status_code == 413
    assert "limit" in response.content.decode()

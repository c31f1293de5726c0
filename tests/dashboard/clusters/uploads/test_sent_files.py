"""Files that a form sent: unique names, archives opened, of a folder the manifests alone."""

from __future__ import annotations

import io
import json
import tarfile

from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import RequestFactory

from dashboard.clusters.uploads.sent_files import (
    SHOWN_NAME,
    read_uploads,
    sent_files,
    unpacked_files,
)


def names(data, taken=()):
    request = RequestFactory().post("/", data)
    return [upload.name for upload in unpacked_files(read_uploads(sent_files(request)), taken)]


def file(name, text="a: 1"):
    return SimpleUploadedFile(name, text.encode())


def test_names_are_unique_and_pasted_text_is_a_file():
    sent = names({"files": [file("a.yaml"), file("a.yaml")], "text": "b: 1"}, ["a.yaml"])
    assert len(set(sent)) == 3
    assert "a.yaml" not in sent
    assert sent[-1] == "pasted.yaml"


def test_of_a_folder_come_the_manifests_alone():
    assert names({"folder": [file("a.yaml"), file("b.png"), file("c.json")]}) == ["a.yaml", "c.json"]


def test_of_a_long_name_the_end_stays():
    (name,) = names({"files": [file("x" * 300 + ".yaml")]})
    assert len(name) <= SHOWN_NAME + 1


def test_files_of_a_folder_have_their_folders():
    paths = json.dumps(["dump/core/a.yaml", "dump/.git/b.yaml", "dump/../../c.json"])
    sent = [file("a.yaml"), file("b.yaml"), file("c.json")]
    assert names({"folder": sent, "paths": paths}) == ["dump/core/a.yaml", "dump/file/file/c.json"]
    for wrong in ("", "[1]", '["x/other.yaml"]', "[" * 9):
        assert names({"folder": [file("a.yaml")], "paths": wrong}) == ["a.yaml"]


def test_a_folder_that_is_a_bundle_is_one_file_without_what_a_collector_keeps_beside():
    meta = '{"kind":"Bundle","format":1,"began":1.0}'
    texts = {
        "meta.json": meta,
        "objects.jsonl": "",
        "changes.jsonl": "",
        "events.jsonl": "",
        "state.json": '{"key":"ff"}',
    }
    sent = [file(name, text) for name, text in texts.items()]
    paths = json.dumps([f"b.tar.gz.partial/{name}" for name in texts])
    (packed,) = sent_files(RequestFactory().post("/", {"folder": sent, "paths": paths}))
    assert packed.name == "b.tar.gz"
    with tarfile.open(fileobj=io.BytesIO(packed.upload().data)) as archive:
        assert archive.getnames() == ["meta.json", "objects.jsonl", "events.jsonl", "changes.jsonl"]
    together = [file(name, text) for name, text in texts.items()]
    assert [one.name for one in sent_files(RequestFactory().post("/", {"files": together}))] == ["bundle.tar"]
    beside = [file("meta.json", meta), file("other.yaml")]
    assert [one.name for one in sent_files(RequestFactory().post("/", {"files": beside}))] == [
        "meta.json",
        "other.yaml",
    ]

"""Files that a form sent: unique names, archives opened, of a folder the manifests alone."""

from __future__ import annotations

import json

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

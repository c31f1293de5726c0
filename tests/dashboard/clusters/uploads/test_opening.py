"""Uploaded files as manifests."""

from __future__ import annotations

import io
import zipfile

import pytest

from dashboard.clusters.uploads.opening import Upload, opened
from dashboard.common.problems import Problem
from scheduler_core.manifests import dump_yaml
from tests.dashboard.clusters.conftest import node


def test_archives_are_opened_beside_other_files(settings):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("a/n.yaml", dump_yaml([node("n")]))
        archive.writestr("logo.png", b"x")
    files = opened([Upload("dump.zip", out.getvalue()), Upload("b.yaml", b"x")])
    assert [one.name for one in files] == ["dump.zip/a/n.yaml", "b.yaml"]
    settings.UPLOAD_MAX_BYTES = 10
    with pytest.raises(Problem, match=r"dump\.zip: a/n\.yaml: "):
        opened([Upload("dump.zip", out.getvalue())])

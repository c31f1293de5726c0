"""The lines around an error of an imported file."""

from __future__ import annotations

import zlib

import pytest

from dashboard.clusters.importing.stored_files import compressed, decompressed
from scheduler_core.manifests import dump_yaml
from tests.dashboard.clusters.conftest import pod
from tests.dashboard.clusters.importing.import_helpers import send

BAD_POD = dump_yaml([pod("bad", cpu="4 cores")])


def test_errors_name_place_and_show_the_lines_around(editor):
    url = send(editor, ("bad.yaml", BAD_POD.encode()))
    page = editor.get(url).content.decode()
    line = BAD_POD.splitlines().index("        cpu: 4 cores") + 1
    assert f"<span>:{line}</span>" in page
    assert "spec.containers[0].resources.requests" in page
    assert "<em>        cpu: 4 cores</em>" in page
    assert "Correct it here" in page


FILES = [b"", b"kind: Node\n", b"\0\xff" * 1000, b'{"kind": "List"}' * 10_000]


@pytest.mark.parametrize("data", FILES, ids=["empty", "short", "binary", "long"])
def test_a_file_comes_back_as_it_was(data):
    assert decompressed(compressed(data)) == data


@pytest.mark.parametrize("data", FILES, ids=["empty", "short", "binary", "long"])
def test_a_file_that_an_older_version_stored_comes_back(data):
    assert decompressed(zlib.compress(data, 1)) == data


def test_what_kubectl_writes_takes_less_room_than_before():
    text = b"".join(
        b'{"kind": "Pod", "metadata": {"name": "web-%d", "uid": "%032x"}}\n' % (i, i**9) for i in range(500)
    )
    assert len(compressed(text)) < len(zlib.compress(text, 1)) < len(text)

"""Files of imports come back as they were stored, and those that an older version stored too."""

from __future__ import annotations

import zlib

import pytest

from dashboard.clusters.importing.compression import compressed, decompressed

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

"""Packing: a whole bundle at its place, or nothing."""

from __future__ import annotations

import os
import tarfile

import pytest

from scheduler_core.collect.journal import FILES
from scheduler_core.collect.packing import pack
from scheduler_core.manifests.bundle.model import CHANGES, EVENTS, META, OBJECTS, BundleMeta
from tests.scheduler_core.collect.collecting import read_bundle

META_OF = BundleMeta(began=1_700_000_000.5, ended=1_700_000_100.0)


@pytest.fixture
def folder(tmp_path):
    made = tmp_path / "journal"
    made.mkdir()
    for name in FILES:
        (made / name).write_bytes(b"")
    (made / OBJECTS).write_bytes(b'{"t":1.0,"object":{"apiVersion":"v1","kind":"Node","metadata":{"name":"a"}}}\n')
    return made


def test_the_bundle_has_its_files_in_their_order_for_this_user_alone(folder, tmp_path):
    out = tmp_path / "b.tar.gz"
    assert pack(folder, META_OF, out) == out.stat().st_size
    with tarfile.open(out) as archive:
        entries = archive.getmembers()
    assert [entry.name for entry in entries] == [META, OBJECTS, EVENTS, CHANGES]
    assert {(entry.mode, entry.uid, entry.uname, entry.mtime) for entry in entries} == {(0o600, 0, "", 1_700_000_100)}
    assert out.stat().st_mode & 0o777 == 0o600
    assert read_bundle(out).meta == META_OF


def test_the_same_files_make_the_same_bytes(folder, tmp_path):
    pack(folder, META_OF, tmp_path / "one.tar.gz")
    pack(folder, META_OF, tmp_path / "two.tar.gz")
    assert (tmp_path / "one.tar.gz").read_bytes() == (tmp_path / "two.tar.gz").read_bytes()


def test_where_it_fails_there_is_nothing_half_written(folder, tmp_path, monkeypatch):
    def full(file):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        pack(folder, META_OF, tmp_path / "b.tar.gz")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["journal"]

"""A bundle packed from its parts is read back as it was."""

from __future__ import annotations

import msgspec

from scheduler_core.manifests import ManifestSource
from scheduler_core.manifests.bundle.model import BundleMeta, Change, ListedObject
from scheduler_core.manifests.bundle.packing import packed
from scheduler_core.manifests.bundle.reading import open_bundle

NODE = msgspec.Raw(b'{"apiVersion":"v1","kind":"Node","metadata":{"name":"a"}}')


def test_what_is_packed_is_read_back() -> None:
    meta = BundleMeta(began=10.0, ended=20.0, server_version="v1.34.1")
    listed, change = ListedObject(t=10.0, object=NODE), Change(t=12.0, rv="7", type="MODIFIED", object=NODE)
    bundle = open_bundle(ManifestSource("x", packed(meta, [listed], [], [change])))
    assert (bundle.meta, bundle.gaps, bundle.is_cut) == (meta, (), False)
    assert [(one.t, bytes(one.object)) for one in bundle.objects()] == [(10.0, bytes(NODE))]
    assert [(one.t, one.rv, one.type) for one in bundle.changes] == [(12.0, "7", "MODIFIED")]
    assert list(bundle.events()) == []

"""Downloads of a cluster and of one object."""

from __future__ import annotations

import asyncio
import json

from scheduler_core.manifests import ManifestSource, dump_yaml, load_cluster
from tests.dashboard.clusters.conftest import node, small

HERE = "/w/team/clusters/prod/"


def test_export_reads_back_as_the_same_objects(viewer, cluster):
    response = viewer.get(HERE + "export")

    async def read():
        return b"".join([part async for part in response.streaming_content])

    body = asyncio.run(read())
    loaded = load_cluster([ManifestSource("export", body)])
    assert loaded.ok
    expected = sorted(json.dumps(raw, sort_keys=True) for raw in small())
    assert sorted(json.dumps(manifest.raw, sort_keys=True) for manifest in loaded.manifests) == expected
    assert response["Content-Disposition"] == 'attachment; filename="prod-r1.yaml"'


def test_one_object_is_exported(viewer, cluster):
    response = viewer.get(HERE + "object/export?kind=Node&name=node-a")
    assert response.content.decode() == dump_yaml([node("node-a")])

"""Downloads of a cluster and of one object."""

from __future__ import annotations

import asyncio
import io
import json
import zipfile
from pathlib import Path

import pytest

from dashboard.clusters.importing import actions as imports
from dashboard.clusters.models import Cluster, Draft
from dashboard.clusters.revisions.object_keys import checked_form
from dashboard.clusters.uploads.opening import Upload
from scheduler_core.manifests import ManifestSource, dump_yaml, load_cluster, unpacked
from scheduler_core.manifests.writing.objects import Writing, to_manifest
from tests.dashboard.clusters.background.task_helpers import led
from tests.dashboard.clusters.by_hand.test_copies import OBJECTS
from tests.dashboard.clusters.conftest import node, small

HERE = "/w/team/clusters/prod/"
SHARED = Path(__file__).parents[5] / "shared" / "data"


def body_of(response):
    """Return the whole body of a download that is written while it is sent."""

    async def read():
        return b"".join([part async for part in response.streaming_content])

    return asyncio.run(read())


def objects_in(*sources):
    """Return the objects of files as sorted canonical texts, with the kinds and versions that typed lists give."""
    loaded = load_cluster([ManifestSource(name, data) for name, data in sources])
    assert loaded.errors == []
    return sorted(json.dumps(raw, sort_keys=True) for raw in checked_form(loaded.manifests))


def test_export_reads_back_as_the_same_objects(viewer, cluster):
    response = viewer.get(HERE + "export")
    body = body_of(response)
    loaded = load_cluster([ManifestSource("export", body)])
    assert loaded.ok
    expected = sorted(json.dumps(raw, sort_keys=True) for raw in small())
    assert sorted(json.dumps(manifest.raw, sort_keys=True) for manifest in loaded.manifests) == expected
    assert response["Content-Disposition"] == 'attachment; filename="prod-r1.yaml"'


def test_one_object_is_exported(viewer, cluster):
    response = viewer.get(HERE + "object/export?kind=Node&name=node-a")
    assert response.content.decode() == dump_yaml([node("node-a")])


def test_a_zip_has_a_file_for_each_kind_in_the_order_of_applying(viewer, cluster):
    response = viewer.get(HERE + "export?as=zip")
    body = body_of(response)
    assert response["Content-Disposition"] == 'attachment; filename="prod-r1.zip"'
    assert body == body_of(viewer.get(HERE + "export?as=zip"))
    with zipfile.ZipFile(io.BytesIO(body)) as archive:
        assert archive.testzip() is None
        assert archive.namelist() == ["00-priorityclass.yaml", "01-node.yaml", "02-pod.yaml"]
    contents = unpacked(ManifestSource("prod.zip", body))
    assert objects_in(*((file.name, file.data) for file in contents.files)) == objects_in(
        ("small", dump_yaml(small()).encode())
    )
    assert viewer.get(HERE + "export?as=tar").status_code == 400


AWKWARD = """
apiVersion: v1
kind: Pod
metadata:
  name: awkward
  namespace: default
  annotations: {multi: "a\n  b \n", number: "1e3", yes: "on", empty: "", long: "%s", unicode: "ü \u2028 \U0001f600"}
  unknown: {deep: [null, true, 1.5, -0.0, {x: []}, {}, ""]}
spec:
  containers:
  - {name: c, image: i, command: ["--a=b: c", "# no comment", "- x", "'", '"'], ports: [{containerPort: 80}]}
  futureField: 12345678901234567890
""" % ("x " * 200)


def assert_nothing_is_lost(editor, name, data):
    """Import a file with its values kept, export it both ways, and compare what is in all three."""
    upload = Upload(name, data)
    made = imports.new_draft(editor.member, [upload], keeps_values=True)
    if made.report["errors"] or not made.report["objects"]:
        return False
    url = f"/w/team/import/{made.pk}/save"
    led(editor, editor.post(url, {"name": name[:50]}))
    cluster = Cluster.objects.get(name=name[:50])
    here = f"/w/team/clusters/{cluster.slug}/export"
    before = objects_in((name, data))
    assert objects_in(("export.yaml", body_of(editor.get(here)))) == before
    contents = unpacked(ManifestSource("export.zip", body_of(editor.get(f"{here}?as=zip"))))
    assert objects_in(*((file.name, file.data) for file in contents.files)) == before
    return True


def test_what_was_imported_is_exported_without_loss(editor):
    assert assert_nothing_is_lost(editor, "awkward.yaml", AWKWARD.encode())
    devices = dump_yaml([to_manifest(one, Writing()) for one in OBJECTS.values()])
    assert assert_nothing_is_lost(editor, "devices.yaml", devices.encode())
    typed = {"apiVersion": "v1", "kind": "NodeList", "items": [{"metadata": {"name": "n"}, "status": {"x": 1}}]}
    assert assert_nothing_is_lost(editor, "typed.json", json.dumps(typed).encode())


DOCUMENTS = [
    """# the shop
apiVersion: v1
kind: Pod
metadata: {name: web}   # in the namespace default
spec:
    containers:
        - image: "nginx"
          name: main

          resources: {requests: {cpu: 0.5}}
""",
    """apiVersion: v1
kind: Node
metadata:
  name: node-1   # in the rack
status: {allocatable: {cpu: '8', pods: 10}}
""",
]


def test_documents_are_exported_as_they_came_and_a_changed_one_with_its_comments(editor):
    made = imports.new_draft(editor.member, [Upload("shop.yaml", "---\n".join(DOCUMENTS).encode())], keeps_values=True)
    editor.post(f"/w/team/import/{made.pk}/save", {"name": "shop"})
    assert body_of(editor.get("/w/team/clusters/shop/export")).decode() == "---\n".join(reversed(DOCUMENTS))
    editor.post("/w/team/clusters/shop/nodes/change", {"node": "node-1", "what": "cordon", "base": 1})
    drafted = Draft.objects.get(cluster__slug="shop")
    changed = DOCUMENTS[1] + "spec:\n  unschedulable: true\n"
    body = body_of(editor.get(f"/w/team/clusters/shop/export?draft={drafted.pk}")).decode()
    assert body == f"{changed}---\n{DOCUMENTS[0]}"


@pytest.mark.slow
@pytest.mark.skipif(not SHARED.exists(), reason="the shared data is not here")
@pytest.mark.parametrize("folder", ["manifests", "cluster-dumps"])
def test_every_published_file_is_exported_without_loss(editor, folder):
    files = [path for path in sorted((SHARED / folder).iterdir()) if path.name != "index.json"]
    compared = [path.name for path in files if assert_nothing_is_lost(editor, path.name, path.read_bytes())]
    # The others are configurations of schedulers and custom resources.
    assert len(compared) >= (len(files) if folder == "cluster-dumps" else 20)

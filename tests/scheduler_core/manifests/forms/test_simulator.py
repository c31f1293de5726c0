"""Files of other programs become a List of the objects that they hold; all other files stay as they are."""

from __future__ import annotations

import gzip
import json

import pytest

from scheduler_core.manifests import ManifestSource, rewritten
from scheduler_core.manifests.model import LoadError
from tests.scheduler_core.manifests.forms.reading import items

POD = {"metadata": {"name": "p", "namespace": "default"}, "spec": {"containers": [{"name": "c", "image": "i"}]}}
NODE = {"metadata": {"name": "n"}, "status": {"allocatable": {"cpu": "4", "pods": "110"}}}


def test_an_export_of_the_simulator_gives_its_objects_with_their_kinds() -> None:
    export = {
        "pods": [POD],
        "nodes": [NODE],
        "pvs": [],
        "pvcs": None,
        "storageClasses": [{"metadata": {"name": "s"}, "provisioner": "x.example.com"}],
        "priorityClasses": [{"metadata": {"name": "high"}, "value": 10, "kind": "PriorityClass"}],
        "schedulerConfig": {"kind": "KubeSchedulerConfiguration"},
        "namespaces": [{"metadata": {"name": "a"}}],
    }
    for data in (json.dumps(export).encode(), gzip.compress(json.dumps(export, indent=2).encode())):
        made = items(data)
        assert [one["kind"] for one in made] == ["Pod", "Node", "StorageClass", "PriorityClass", "Namespace"]
        assert made[0] == {"apiVersion": "v1", "kind": "Pod", **POD}


def test_a_record_of_the_simulator_gives_what_is_there_at_its_end() -> None:
    def line(event: str, name: str, **more: object) -> str:
        resource = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name}, **more}
        return json.dumps({"time": "2024-01-01T00:00:00Z", "event": event, "resource": resource})

    spec = {"unschedulable": True}
    text = "\n".join([line("Add", "a"), line("Add", "b"), line("Update", "a", spec=spec), line("Delete", "b")])
    (node,) = items(text.encode())
    assert (node["metadata"]["name"], node["spec"]) == ("a", spec)
    with pytest.raises(LoadError, match="no event") as refused:
        rewritten(ManifestSource("f", line("Move", "a").encode()))
    assert (refused.value.line, refused.value.field) == (1, "event")


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"apiVersion: v1\nkind: Pod\n",
        b'{"apiVersion": "v1", "kind": "List", "items": []}',
        b'{"pods": [], "other": []}',
        b'{"time": "x", "event": "y"}',
        b"\x1f\x8bx",
        b"name,size\n",
        b"\xff\xfe",
    ],
    ids=range(8),
)
def test_all_other_files_stay_as_they_are(data: bytes) -> None:
    source = ManifestSource("f", data)
    assert rewritten(source) is source

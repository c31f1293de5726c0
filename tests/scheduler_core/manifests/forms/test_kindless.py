"""Objects without a kind have that of their folder."""

from __future__ import annotations

import json

import pytest

from scheduler_core.manifests import ManifestSource, dump_yaml, rewritten
from scheduler_core.manifests.forms.kindless import kind_of_folder
from tests.scheduler_core.manifests.forms.reading import items, node

OWNED = {"name": "p", "ownerReferences": [{"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "r", "uid": "u"}]}
POD = {"metadata": OWNED, "spec": {"containers": [{"name": "c", "image": "i"}]}}
NODE = {key: value for key, value in node("n").items() if key not in ("kind", "apiVersion")}


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("m.tgz/namespaces/a/core/pods.yaml", "Pod"),
        ("m.tgz/namespaces/a/pods/web-0/web-0.yaml", "Pod"),
        ("config/pod/kube-system/web-0.json.gz", "Pod"),
        ("config/node/n.json", "Node"),
        ("cluster-resources/pvcs/shop.json", "PersistentVolumeClaim"),
        ("cluster-resources/storage-classes.json", "StorageClass"),
        ("config/pdbs/x.json", "PodDisruptionBudget"),
        ("a/persistentvolumes.json", "PersistentVolume"),
        ("a/events/shop.json", "Event"),
        ("config/version.json", ""),
    ],
)
def test_folders_and_names_of_files_say_a_kind(name: str, kind: str) -> None:
    assert kind_of_folder(name) == kind


def test_objects_get_it_in_each_way_of_writing() -> None:
    for text in (json.dumps(POD), json.dumps([POD]), json.dumps({"items": [POD]}), dump_yaml([POD])):
        (pod,) = items(text, "x/pods/a.json")
        assert (pod["kind"], pod["apiVersion"], pod["metadata"]["name"]) == ("Pod", "v1", "p")
    (only,) = items(json.dumps(NODE), "x/node/a.json")
    assert only["kind"] == "Node"


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("a.json", NODE),
        ("x/node/a.json", node("n")),
        ("x/node/a.json", [node("n")]),
        ("x/node/a.json", {"version": 1}),
        ("x/other/a.json", NODE),
    ],
)
def test_all_others_stay_as_they_are(name: str, value: object) -> None:
    source = ManifestSource(name, json.dumps(value).encode())
    assert rewritten(source) is source

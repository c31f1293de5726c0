"""What reading the files of an import gives: objects with names and kinds, counts, errors."""

from __future__ import annotations

import json

from dashboard.clusters.importing.reading import file_findings
from dashboard.clusters.models import Cluster
from dashboard.clusters.revisions import actions, object_store
from dashboard.clusters.yaml_templates import OBJECT_TEMPLATES
from scheduler_core.manifests import dump_yaml
from scheduler_core.manifests.model import Fix
from tests.dashboard.clusters.conftest import draft, node, pod
from tests.dashboard.clusters.importing.import_helpers import send

BAD_POD = dump_yaml([pod("bad", cpu="4 cores")])


def test_items_without_kind_and_generated_names_are_written_out(editor):
    listed = {
        "kind": "NodeList",
        "apiVersion": "v1",
        "items": [{k: v for k, v in node("n").items() if k not in ("kind", "apiVersion")}],
    }
    generated = pod("x")
    generated["metadata"] = {"generateName": "job-"}
    url = send(editor, ("n.json", json.dumps(listed).encode()), ("p.json", json.dumps(generated).encode()))
    editor.post(url + "save", {"name": "c"})
    manifests = object_store.read_manifests(actions.newest_revision(Cluster.objects.get()))
    assert manifests[0] == node("n")
    assert manifests[1]["metadata"]["name"].startswith("job-")
    assert len(manifests[1]["metadata"]["name"]) == len("job-") + 5
    assert manifests[1]["metadata"]["namespace"] == "default"


def test_workloads_and_kinds_without_effect_are_counted(editor):
    text = OBJECT_TEMPLATES["Deployment"].text.replace("replicas: 3", "replicas: 4")
    for kind in ("ConfigMap", "Secret"):
        text += f"---\napiVersion: v1\nkind: {kind}\nmetadata: {{name: x}}\n"
    report = draft(editor, text).report
    assert report["kinds"] == [["Deployment", 1, 4]]
    assert (report["pods"], report["expanded"]) == (4, 4)
    assert report["passed_over"] == {"ConfigMap": 1, "Secret": 1}


def test_objects_with_errors_are_not_among_those_understood(editor):
    url = send(editor, ("mixed.yaml", (dump_yaml([node("n")]) + "---\n" + BAD_POD).encode()))
    assert '<b class="tn">1</b><span>understood' in editor.get(url).content.decode()


def test_pods_are_counted_to_the_kind_that_they_are_made_from(editor):
    deployment = OBJECT_TEMPLATES["Deployment"].text
    bare = deployment.replace("kind: Deployment", "kind: ReplicaSet").replace("name: web", "name: bare", 1)
    kinds = draft(editor, deployment, bare).report["kinds"]
    assert kinds == [["Deployment", 1, 3], ["ReplicaSet", 1, 3]]


def test_findings_of_a_file_come_back_with_their_fixes_and_without_them_from_older_reports(editor):
    imported = draft(editor, dump_yaml([{**pod("slip"), "sepc": {}}]))
    finding = next(one for one in file_findings(imported, "file-0.yaml", 9) if one.field == "sepc")
    assert finding.fix == Fix("key", "spec")
    for stored in imported.report["findings"]:
        stored.pop("fix", None)
    assert {one.fix for one in file_findings(imported, "file-0.yaml", 9)} == {None}
    assert file_findings(imported, "other.yaml", 9) == []

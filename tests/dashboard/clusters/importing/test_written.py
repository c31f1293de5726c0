"""Imported documents keep their comments: shown, exported and edited as they were written."""

from __future__ import annotations

import json

from dashboard.clusters.importing import saving
from dashboard.clusters.importing.saving import ImportTarget
from dashboard.clusters.importing.written import written_texts
from dashboard.clusters.models import ObjectText
from tests.dashboard.clusters.conftest import draft, node, pod

NODE = """\
# our first node
apiVersion: v1
kind: Node
metadata:
  name: node-a # rack 7
spec: {}
status:
  # measured in May
  allocatable: {cpu: "8", memory: 32Gi, pods: "110"}
"""
POD = "apiVersion: v1\nkind: Pod\nmetadata:\n  name: web # front\nspec:\n  containers: [{name: c, image: i}]\n"


def imported(editor, *texts, into=None):
    """Return the revision of an import of these files."""
    return saving.save(editor.member, draft(editor, *texts), ImportTarget(into, "shop"))


def exported(editor, revision, query):
    """Return one object of a revision as a file."""
    return editor.get(f"/w/team/clusters/{revision.cluster.slug}/object/export?{query}").content.decode()


def test_a_document_is_exported_and_shown_as_it_was_written(editor):
    revision = imported(editor, f"{NODE}---\n{POD}")
    assert exported(editor, revision, "kind=Node&name=node-a") == NODE
    page = editor.get(f"/w/team/clusters/{revision.cluster.slug}/object/?kind=Node&name=node-a").content.decode()
    assert "# measured in May" in page


def test_what_the_stored_form_adds_is_written_into_the_text(editor):
    text = exported(editor, imported(editor, POD), "kind=Pod&ns=default&name=web")
    assert text == POD.replace("  name: web # front\n", "  name: web # front\n  namespace: default\n")


def test_a_later_change_by_another_way_keeps_the_comments(editor):
    revision = imported(editor, NODE)
    editor.post(
        f"/w/team/clusters/{revision.cluster.slug}/nodes/change", {"node": "node-a", "what": "cordon", "base": 1}
    )
    made = revision.cluster.drafts.get()
    text = exported(editor, revision, f"kind=Node&name=node-a&draft={made.pk}")
    assert text == NODE.replace("spec: {}", "spec:\n  unschedulable: true")


def test_items_of_lists_and_json_have_no_text_of_their_own(editor):
    items = {"kind": "List", "apiVersion": "v1", "items": [node("a"), pod("b")]}
    revision = imported(editor, json.dumps(items), "kind: List\napiVersion: v1\nitems: []\n")
    assert not ObjectText.objects.filter(cluster=revision.cluster).exists()


def test_objects_that_are_not_saved_have_no_text(editor):
    files = draft(editor, NODE, POD)
    stored = saving.contents_to_save(files, leave_out=False).contents.stored
    assert len(written_texts(files, stored)) == 2
    assert len(written_texts(files, stored[:1])) == 1


def test_masked_values_are_masked_in_the_text_too(editor):
    secret = POD.replace("image: i}", "image: i, env: [{name: DB_PASSWORD, value: hunter2}]}")
    revision = imported(editor, secret)
    assert "hunter2" not in exported(editor, revision, "kind=Pod&ns=default&name=web")

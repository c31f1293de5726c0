"""Imports as they are saved: whole, corrected, or without the objects that have errors."""

from __future__ import annotations

import gzip
import json

import pytest

from dashboard.accounts.models import AuditEntry
from dashboard.clusters.drafts.operations import Edit
from dashboard.clusters.importing import actions as imports
from dashboard.clusters.importing import saving
from dashboard.clusters.importing.saving import ImportTarget, written_texts
from dashboard.clusters.models import Cluster, ImportDraft, ObjectText
from dashboard.clusters.revisions import actions, object_store
from dashboard.clusters.revisions.contents import cache, read_contents, read_unplayed
from dashboard.clusters.uploads.opening import Upload
from dashboard.common.problems import Problem
from scheduler_core.manifests import dump_yaml
from tests.dashboard.clusters.conftest import draft, node, pod, small
from tests.dashboard.clusters.importing.import_helpers import send
from tests.dashboard.clusters.saved_edits import save_edits

ONE_NODE = dump_yaml([node("n")])
BAD_POD = dump_yaml([pod("bad", cpu="4 cores")])


def test_saving_makes_a_cluster_and_forgets_the_files(editor):
    url = send(
        editor,
        ("a.json.gz", gzip.compress(json.dumps({"kind": "List", "apiVersion": "v1", "items": small()}).encode())),
    )
    response = editor.post(url + "save", {"name": "from a dump"})
    assert response["Location"] == "/w/team/clusters/from-a-dump/"
    revision = actions.newest_revision(Cluster.objects.get())
    assert object_store.read_manifests(revision) == small()
    assert (revision.author, revision.source) == (editor.user, "import of a.json.gz")
    assert not ImportDraft.objects.exists()
    assert AuditEntry.objects.filter(action="cluster.created", object="from a dump").exists()


def test_saving_into_a_cluster_adds_a_revision(editor, cluster):
    url = send(editor, ("a.yaml", dump_yaml([node("only")]).encode()), cluster="prod")
    assert "Import into prod" in editor.get(url).content.decode()
    editor.post(url + "save", {"into": "prod", "message": "shrunk"})
    revision = actions.newest_revision(cluster)
    assert (revision.number, revision.message, revision.counts) == (2, "shrunk", {"Node": 1})


def test_errors_keep_an_import_from_being_saved_until_they_are_corrected(editor):
    url = send(editor, ("good.yaml", dump_yaml([node("n")]).encode()), ("bad.yaml", BAD_POD.encode()))
    refused = editor.post(url + "save", {"name": "c"})
    assert refused.status_code == 422
    assert "have errors" in refused.content.decode()
    assert not Cluster.objects.exists()
    editor.post(url + "files/1/", {"text": BAD_POD.replace("4 cores", "4")})
    assert editor.post(url + "save", {"name": "c"}).status_code == 302
    assert actions.newest_revision(Cluster.objects.get()).counts == {"Node": 1, "Pod": 1}


def test_objects_with_errors_can_be_left_out(editor):
    url = send(editor, ("mixed.yaml", (dump_yaml([node("n"), pod("ok")]) + "---\n" + BAD_POD).encode()))
    editor.post(url + "save", {"name": "c", "leave_out": "1"})
    revision = actions.newest_revision(Cluster.objects.get())
    assert revision.counts == {"Node": 1, "Pod": 1}
    assert "1 objects" in revision.message


def test_a_file_that_breaks_off_is_left_out_with_a_doubt(editor):
    broken = dump_yaml([node("lost")]) + "---\nkind: [\n"
    made = draft(editor, dump_yaml([node("n")]), broken)
    url = f"/w/team/import/{made.pk}/"
    assert editor.post(url + "save", {"name": "c"}).status_code == 422
    assert editor.post(url + "save", {"name": "c", "leave_out": "1"}).status_code == 302
    revision = actions.newest_revision(Cluster.objects.get())
    assert revision.counts == {"Node": 1}
    (gap,) = read_unplayed(revision).gaps
    assert (gap.code, gap.plugins) == ("LEFT_OUT", ())


def test_nothing_is_saved_where_no_file_could_be_read(editor):
    made = draft(editor, dump_yaml([node("n")]) + "---\nkind: [\n")
    response = editor.post(f"/w/team/import/{made.pk}/save", {"name": "c", "leave_out": "1"})
    assert response.status_code == 422
    assert not Cluster.objects.exists()


def test_a_name_that_is_taken_loses_nothing(editor, cluster):
    url = send(editor, ("n.yaml", dump_yaml([node("n")]).encode()))
    response = editor.post(url + "save", {"name": "prod"})
    assert response.status_code == 422
    assert "&quot;prod&quot; exists" in response.content.decode()
    assert editor.post(url + "save", {"name": "prod 2"}).status_code == 302


MAKER = {
    "apiVersion": "batch/v1",
    "kind": "CronJob",
    "metadata": {"name": "nightly", "namespace": "default"},
    "spec": {},
}
REFUSED = {
    "apiVersion": "apps/v1",
    "kind": "ReplicaSet",
    "metadata": {"name": "web", "namespace": "default"},
    "spec": {
        "replicas": 3,
        "selector": {"matchLabels": {"app": "web"}},
        "template": {
            "metadata": {"labels": {"app": "web"}},
            "spec": {"containers": [{"name": "c", "image": "i"}]},
        },
    },
    "status": {"conditions": [{"type": "ReplicaFailure", "status": "True", "message": "exceeded quota: compute"}]},
}


def test_what_is_not_played_is_kept_with_the_revision_and_the_next_ones(editor):
    url = send(editor, ("a.yaml", dump_yaml([node("n"), pod("p"), MAKER, REFUSED]).encode()))
    preview = editor.get(url).content.decode()
    assert "CronJob default/nightly" in preview
    assert (
        "CronJob default/nightly" in editor.get(editor.post(url + "save", {"name": "c"})["Location"]).content.decode()
    )
    first = actions.newest_revision(Cluster.objects.get())
    cache.clear()
    loaded = read_contents(first).loaded
    assert [one.reference for one in loaded.unplayed.objects] == ["batch/v1/CronJob/default/nightly"]
    assert [one.key for one in loaded.objects.pods] == ["default/p"]
    assert [one.n_refused for one in loaded.objects.workloads] == [3]
    save_edits(editor.member, first.cluster, [Edit(None, pod("more"))], actions.Save(1))
    cache.clear()
    second = actions.newest_revision(first.cluster)
    assert bytes(second.unplayed) == bytes(first.unplayed)
    assert [one.key for one in read_contents(second).loaded.objects.pods] == ["default/p", "default/more"]


def test_a_revision_from_before_keeps_the_pods_that_were_made_up(editor):
    cluster = actions.create_cluster(editor.member, actions.NewCluster("old"), [node("n"), REFUSED])
    revision = actions.newest_revision(cluster)
    cache.clear()
    assert bytes(revision.unplayed) == b""
    assert len(read_contents(revision).loaded.objects.pods) == 3


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
    assert "# measured" in page


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


@pytest.mark.parametrize(
    ("texts", "leave_out", "sentence"),
    [
        ([ONE_NODE, dump_yaml([node("b")]), dump_yaml([node("c")])], False, "3 objects from 3 files"),
        ([f"{ONE_NODE}---\n{BAD_POD}"], True, "1 objects from 0.yaml (1 objects with errors left out)"),
    ],
)
def test_words(editor, texts, leave_out, sentence):
    files = imports.new_draft(editor.member, [Upload(f"{i}.yaml", text.encode()) for i, text in enumerate(texts)])
    revision = saving.save(editor.member, files, ImportTarget(None, "new"), leave_out)
    assert revision.message == sentence
    assert revision.source == "import of " + ", ".join(f"{i}.yaml" for i in range(len(texts)))


@pytest.mark.parametrize(
    ("text", "leave_out", "sentence"),
    [
        (BAD_POD, False, "Some objects have errors. Correct them, or leave them out."),
        (
            f"{ONE_NODE}---\nkind: [\n",
            False,
            "A file could not be read to its end, so nothing of it is kept. Send it again, or leave it out.",
        ),
        (f"{ONE_NODE}---\nkind: [\n", True, "No object is left that scheduling looks at."),
        (ONE_NODE, False, 'A cluster named "prod" exists. Choose another name, or add a revision to it.'),
    ],
)
def test_words_of_refusals(editor, cluster, text, leave_out, sentence):
    files = imports.new_draft(editor.member, [Upload("a.yaml", text.encode())])
    with pytest.raises(Problem) as raised:
        saving.save(editor.member, files, ImportTarget(None, "prod"), leave_out)
    assert raised.value.detail == sentence

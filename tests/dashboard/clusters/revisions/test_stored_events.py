"""Events of the real scheduler are kept with a revision, and carried on for pods that stay as they are."""

from __future__ import annotations

import json

import pytest

from dashboard.clusters.drafts.operations import Edit
from dashboard.clusters.importing import actions as imports
from dashboard.clusters.importing import saving
from dashboard.clusters.importing.saving import ImportTarget
from dashboard.clusters.models import ObjectBlob
from dashboard.clusters.revisions import actions
from dashboard.clusters.revisions.contents import read_contents
from dashboard.clusters.revisions.object_keys import Key
from dashboard.clusters.revisions.reported_pods import reported_pods
from dashboard.clusters.revisions.stored_events import current_events, events_about
from dashboard.clusters.uploads.opening import Upload
from tests.dashboard.clusters.conftest import node, pod, saved_as
from tests.dashboard.clusters.saved_edits import save_edits

WIDE, OTHER = "0/1 nodes are available: 1 Insufficient cpu.", "0/1 nodes are available: 1 Too many pods."


def event(name, message, reason="FailedScheduling", **about):
    """Return an event about a pod of the namespace default."""
    return {
        "apiVersion": "v1",
        "kind": "Event",
        "metadata": {"name": f"{name}.1", "namespace": "default"},
        "reason": reason,
        "message": message,
        "involvedObject": {"kind": "Pod", "namespace": "default", "name": name, **about},
        "lastTimestamp": "2024-05-01T12:00:00Z",
    }


def dumped(*events):
    """Return a dump of a node and two pods that wait, with these events."""
    items = [node("node-a"), pod("wide", cpu="20"), pod("other", cpu="9"), *events]
    return json.dumps({"apiVersion": "v1", "kind": "List", "items": items}).encode()


@pytest.fixture
def imported(editor):
    """A function that imports a dump with these events into a cluster (None: a new one)."""

    def imported(*events, cluster=None):
        draft = imports.new_draft(editor.member, [Upload("dump.json", dumped(*events))])
        return saving.save(editor.member, draft, ImportTarget(cluster, "prod"))

    return imported


def messages_of(revision):
    return {event.pod: event.message for event in current_events(revision, read_contents(revision))}


EVENTS = (
    event("wide", WIDE),
    event("other", OTHER),
    event("gone", "Preempted by pod u1 on node node-a", "Preempted"),
    event("never-there", WIDE),
)


def test_an_import_keeps_what_was_said_of_its_pods_and_who_was_preempted(imported):
    revision = imported(*EVENTS)
    assert messages_of(revision) == {
        "default/wide": WIDE,
        "default/other": OTHER,
        "default/gone": "Preempted by pod u1 on node node-a",
    }
    rows = [row for row in read_contents(revision).rows.pods if row.name == "wide"]
    (shown,) = reported_pods(revision, read_contents(revision), rows)
    assert (shown.report.message, shown.report.source) == (WIDE, "event")


def test_what_took_a_pod_that_is_gone_and_why_a_workload_has_none_is_kept(imported):
    revision = imported(
        event("gone", "The node was low on resource: memory.", "Evicted"),
        event("gone", "pod didn't trigger scale-up", "NotTriggerScaleUp"),
        event("wide", "forbidden: exceeded quota", "FailedCreate", kind="ReplicaSet"),
    )
    stored = {(one.kind, one.pod, one.reason) for one in current_events(revision, read_contents(revision))}
    assert stored == {("Pod", "default/gone", "Evicted"), ("ReplicaSet", "default/wide", "FailedCreate")}
    rows = [row for row in read_contents(revision).rows.pods if row.name == "wide"]
    (shown,) = reported_pods(revision, read_contents(revision), rows)
    assert shown.report.message == ""


def test_what_looks_like_a_secret_is_masked(imported):
    revision = imported(event("wide", "0/1 nodes are available: token=hunter2"))
    assert messages_of(revision) == {"default/wide": "***"}
    assert not any(b"hunter2" in bytes(blob.data) for blob in ObjectBlob.objects.all())


def test_an_edit_carries_them_on_for_pods_that_are_unchanged_and_stores_nothing_for_it(editor, imported):
    first = imported(*EVENTS)
    before = ObjectBlob.objects.count()
    edit = Edit(Key("Pod", "default", "wide"), pod("wide", cpu="19"))
    second = save_edits(editor.member, first.cluster, [edit], saved_as())
    assert bytes(second.events) == bytes(first.events)
    assert set(messages_of(second)) == {"default/other", "default/gone"}
    assert ObjectBlob.objects.count() == before + 2, "the pod and its page of the index"
    new = Edit(None, pod("gone"))
    third = save_edits(editor.member, first.cluster, [new], actions.Save(2))
    assert set(messages_of(third)) == {"default/other"}, "a new pod of the name of a victim is another pod"


def test_a_revision_restored_or_undone_has_its_own_events_and_an_import_only_those_that_it_brings(editor, imported):
    first = imported(*EVENTS)
    cluster = first.cluster
    second = imported(cluster=cluster)
    assert (second.sha256, messages_of(second)) == (first.sha256, {})
    changed = Edit(Key("Pod", "default", "wide"), pod("wide", cpu="19"))
    save_edits(editor.member, cluster, [changed], actions.Save(2))
    assert messages_of(actions.undo_revision(editor.member, cluster, 3)) == {}
    save_edits(editor.member, cluster, [changed], actions.Save(4))
    assert messages_of(actions.restore_revision(editor.member, cluster, 1)) == messages_of(first)


def test_a_revision_without_events_asks_for_none(cluster):
    revision = actions.newest_revision(cluster)
    assert bytes(revision.events) == b""
    assert events_about(revision, read_contents(revision), ["default/web-1"]) == []

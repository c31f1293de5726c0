"""A bundle that is imported: two revisions, a timeline, the masked record; and what is not kept."""

from __future__ import annotations

import gzip

import pytest

from dashboard.agreement.models import CollectedBundle
from dashboard.agreement.reality import keeping
from dashboard.clusters.models import ImportBundle, ImportDraft
from dashboard.documents.timelines.actions import timeline_text
from scheduler_core.manifests import ManifestSource
from scheduler_core.manifests.bundle.reading import open_bundle
from tests.dashboard.agreement.reality.conftest import SECRET, bundle_bytes, small
from tests.dashboard.clusters.background.task_helpers import led
from tests.dashboard.clusters.importing.import_helpers import send
from tests.dashboard.helpers import strict_html
from tests.live_cluster.history import delivered, files_of, meta_of

CONFIGURATION = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"


def test_the_end_is_the_newest_revision_and_the_beginning_the_one_before(imported):
    bundle = imported()
    assert [bundle.began.number, bundle.ended.number] == [1, 2]
    assert bundle.began.message == "As the collection began"
    began, ended = bundle.began.counts, bundle.ended.counts
    truth = small()
    assert began["Node"] == ended["Node"] == 4
    assert "Pod" not in began
    there = {step.object["metadata"]["name"]: step.type for step in truth.steps if step.object["kind"] == "Pod"}
    assert ended["Pod"] == sum(last != "DELETED" for last in there.values())


def test_what_came_from_outside_is_a_timeline_without_what_the_scheduler_did(imported):
    bundle = imported()
    assert bundle.said == ""
    text = timeline_text(bundle.timeline)
    assert bundle.timeline.n_entries >= 20
    assert "nodeName" not in text
    assert "PodScheduled" not in text


def test_the_record_is_kept_with_its_secrets_masked(imported):
    row = imported()
    data = bytes(row.data)
    assert row.size == len(data)
    assert SECRET.encode() not in gzip.decompress(data)
    assert SECRET.encode() in gzip.decompress(bundle_bytes())
    bundle = open_bundle(ManifestSource("b", data))
    assert len(bundle.changes) == sum(not step.is_event for step in small().steps)
    assert SECRET not in timeline_text(row.timeline)


def test_the_folder_of_a_bundle_is_imported_as_its_archive_is(editor):
    truth = small()
    preview = send(editor, *files_of(truth, delivered(truth.steps, 1), meta_of(truth)).items())
    led(editor, editor.post(f"{preview}save", {"name": "folder"}))
    bundle = open_bundle(ManifestSource("b", bytes(CollectedBundle.objects.get().data)))
    assert len(bundle.changes) == sum(not step.is_event for step in truth.steps)


@pytest.mark.slow
def test_the_configuration_of_the_bundle_is_a_document(imported):
    assert imported().config is None
    assert imported(bundle_bytes(configuration=CONFIGURATION), "second").config.text == CONFIGURATION


def test_nothing_is_kept_of_an_import_whose_files_were_changed(editor):
    preview = send(editor, ("live.tar.gz", bundle_bytes()))
    assert ImportBundle.objects.count() == 1
    led(editor, editor.post(f"{preview}files", {"text": "apiVersion: v1\nkind: Node\nmetadata: {name: x}\n"}))
    assert ImportDraft.objects.count() == 1
    assert not ImportBundle.objects.exists()


@pytest.mark.slow
def test_the_newest_bundles_of_a_cluster_are_kept(imported, editor, monkeypatch):
    monkeypatch.setattr(keeping, "KEPT", 1)
    first = imported()
    preview = send(editor, ("live.tar.gz", bundle_bytes(collector="later")))
    led(editor, editor.post(f"{preview}save", {"into": "live"}))
    newest = CollectedBundle.objects.get()
    assert newest.pk != first.pk
    assert newest.ended.number == 4


def test_the_preview_says_what_is_saved_of_a_bundle(editor):
    said = "what the real scheduler did"
    assert said in strict_html(editor.get(send(editor, ("live.tar.gz", bundle_bytes()))))
    node = b"apiVersion: v1\nkind: Node\nmetadata: {name: x}\n"
    assert said not in strict_html(editor.get(send(editor, ("node.yaml", node))))

"""Clusters as workers generate them."""

from __future__ import annotations

from dashboard.clusters.models import BackgroundTask, Cluster
from dashboard.documents.models import Timeline
from tests.dashboard.clusters.background.task_helpers import led
from tests.dashboard.generating.test_scheduler_perf_views import IN_ARCHIVE, whole
from tests.dashboard.generating.test_scheduler_perf_views import MAKE as MAKE_CASE
from tests.dashboard.generating.test_views import MAKE, TEXT


def test_a_description_is_made_by_a_worker_and_what_it_says_has_its_link(editor, all_large):
    address = led(editor, editor.post(MAKE, {"text": TEXT, "name": "made"}))
    assert address == "/w/team/clusters/made/"
    assert BackgroundTask.objects.get().said == ""
    page = editor.get(address).content.decode()
    assert "Edit the arrivals" in page
    assert Timeline.objects.get().revisions.get().n_entries == 4


def test_it_goes_into_a_draft_of_a_cluster(editor, cluster, all_large):
    address = led(editor, editor.post(MAKE, {"text": TEXT, "into": "prod"}))
    assert address.startswith("/w/team/clusters/prod/drafts/")


def test_a_test_case_is_made_by_a_worker(editor, all_large):
    led(editor, editor.post(MAKE_CASE, {"files": whole(), "case": IN_ARCHIVE, "pause": "3s"}))
    assert Cluster.objects.filter(name="Basic small").exists()


def test_errors_are_said_by_the_form(editor, all_large):
    assert editor.post(MAKE, {"text": "pools: x", "name": "made"}).status_code == 422
    assert editor.post(MAKE_CASE, {"files": whole(), "case": IN_ARCHIVE, "pause": "soon"}).status_code == 422
    assert not BackgroundTask.objects.exists()

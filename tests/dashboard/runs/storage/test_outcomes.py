"""Summaries of runs: written when a run is over, read again, computed anew where there is none."""

from __future__ import annotations

import pytest

from dashboard.clusters.importing import reading
from dashboard.clusters.importing.saving import contents_from
from dashboard.clusters.revisions.actions import NewCluster, create_cluster
from dashboard.clusters.uploads.opening import Upload
from dashboard.runs import execution
from dashboard.runs.models import Run, RunOutcomes, State
from dashboard.runs.storage import deletion, outcomes
from scheduler_core.explain.outcomes import VERSION
from scheduler_core.manifests import dump_yaml
from tests.dashboard.run_helpers import node, pod

pytestmark = pytest.mark.django_db


@pytest.fixture
def finished(launch, again):
    """A function that runs so many pods on so many nodes to the end."""

    def finished(n_nodes, n_pods):
        run = launch(n_nodes, n_pods)
        while execution.work():
            pass
        return again(run)

    return finished


def test_a_finished_run_has_its_outcomes_stored(finished):
    run = finished(2, 9)
    summary = outcomes.stored(run)
    assert (summary.seq, summary.counts["bound"]) == (run.head.seq, 9)
    assert summary == outcomes.compute(run)


def test_a_summary_of_another_version_or_an_older_head_is_not_taken(finished):
    run = finished(2, 3)
    RunOutcomes.objects.filter(run_id=run.pk).update(version=VERSION + 1)
    assert outcomes.stored(run) is None
    RunOutcomes.objects.filter(run_id=run.pk).update(version=VERSION)
    assert outcomes.stored(run, after=run.head.seq - 1).seq == run.head.seq
    assert outcomes.stored(run, after=run.head.seq) is None


def test_storing_again_replaces_and_deleting_the_run_takes_it_along(finished):
    run = finished(2, 3)
    outcomes.store(run.pk, outcomes.compute(run))
    assert RunOutcomes.objects.filter(run_id=run.pk).count() == 1
    Run.everything.filter(pk=run.pk).update(state=State.DELETING)
    deletion.delete_some()
    assert not RunOutcomes.objects.filter(run_id=run.pk).exists()


def test_a_run_whose_outcomes_cannot_be_summed_up_is_finished_all_the_same(finished, monkeypatch, caplog):
    def broken(run):
        raise RuntimeError("no summary")

    monkeypatch.setattr(execution.outcomes, "compute", broken)
    run = finished(2, 3)
    assert (run.state, outcomes.stored(run)) == (State.FINISHED, None)
    assert "summed up" in caplog.text


def test_a_run_of_an_import_says_what_is_not_played(launch, again, editor):
    maker = {"apiVersion": "batch/v1", "kind": "CronJob", "metadata": {"name": "q", "namespace": "default"}}
    text = dump_yaml([node("n", "8"), pod("p", "1"), maker])
    contents = contents_from(reading.load([Upload("a.yaml", text.encode())]))
    cluster = create_cluster(editor.member, NewCluster("imported"), contents)
    run = again(launch(revision=cluster.revisions.get(), schedule="pending"))
    while execution.work():
        pass
    run = again(run)
    assert [one.objects.names for one in outcomes.stored(run).doubts] == [("batch/v1/CronJob/default/q",)]
    assert "CronJob default/q" in run.finish_reason

"""Deleted runs: gone at once, their rows soon; runs deleted for their age."""

from __future__ import annotations

import pytest
from django.utils import timezone

from dashboard.accounts.models import Workspace
from dashboard.runs import actions, execution
from dashboard.runs.lifecycle import quotas
from dashboard.runs.models import (
    Cycle,
    PluginScore,
    QueueMove,
    RecordingChunk,
    RecordingKeyframe,
    Run,
    RunFigure,
    State,
)
from dashboard.runs.storage import deletion, metrics, rows

pytestmark = pytest.mark.django_db


def test_a_deleted_run_disappears_at_once_and_its_rows_soon(launch, editor, monkeypatch):
    monkeypatch.setattr(deletion, "ROWS", 7)
    run, other = launch(3, 40), launch(3, 20)
    execution.work()
    execution.work()
    figures_before = sorted(metrics._counts(RunFigure.Family.INCOMING))
    actions.delete_run(editor.member, run)
    assert list(Run.objects.values_list("pk", flat=True)) == [other.pk]
    assert Run.everything.get(pk=run.pk).state == State.DELETING
    turns = 1
    while deletion.delete_some(seconds=0):
        turns += 1
    assert turns > 10
    assert not Run.everything.filter(pk=run.pk).exists()
    for model in (Cycle, PluginScore, QueueMove, RecordingChunk, RecordingKeyframe):
        assert set(model.objects.values_list("run_id", flat=True)) == {other.pk}
    assert sorted(metrics._counts(RunFigure.Family.INCOMING)) == figures_before


def test_a_run_that_is_deleted_while_it_runs_is_let_go(launch, editor, monkeypatch):
    run, real = launch(3, 40), rows.build

    def delete_first(run_id, *others):
        actions.delete_run(editor.member, run)
        return real(run_id, *others)

    monkeypatch.setattr(rows, "build", delete_first)
    execution.work()
    assert Run.everything.get(pk=run.pk).state == State.DELETING
    assert not Cycle.objects.filter(run=run).exists()
    assert not deletion.delete_some()
    assert not Run.everything.exists()


def test_retention_deletes_old_runs_but_not_kept_or_unfinished_ones(launch, workspace):
    old, kept_run, waiting, fresh = (launch(1, 1) for _ in range(4))
    long_ago = timezone.now() - timezone.timedelta(days=40)
    Run.objects.filter(pk__in=[old.pk, kept_run.pk]).update(state=State.FINISHED, finished_at=long_ago)
    Run.objects.filter(pk=kept_run.pk).update(is_kept=True)
    Run.objects.filter(pk=fresh.pk).update(state=State.FINISHED, finished_at=timezone.now())
    assert quotas.apply_retention() == 0
    Workspace.objects.filter(pk=workspace.pk).update(retention_days=30)
    assert quotas.apply_retention() == 1
    assert set(Run.objects.all()) == {kept_run, waiting, fresh}

"""Rows of a run are those of its events."""

from __future__ import annotations

import pytest

from dashboard.runs import execution
from dashboard.runs.models import (
    Cycle,
    PluginScore,
    PluginVerdict,
    Preemption,
    QueueMove,
    RunHead,
    State,
    Victim,
)
from dashboard.runs.storage import bulk, recordings, rows
from scheduler_core.recording import rows as core_rows
from tests.dashboard.run_helpers import node, pod
from tests.dashboard.runs.slices import one_slice_at_a_time

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("model", "row", "extra"),
    [
        (Cycle, core_rows.CycleRow, {"cycle": "number", "at": "at_us"}),
        (PluginScore, core_rows.PluginScoreRow, {}),
        (PluginVerdict, core_rows.VerdictRow, {}),
        (QueueMove, core_rows.QueueMoveRow, {"at": "at_us", "backoff_until": "backoff_until_us"}),
        (Preemption, core_rows.PreemptionRow, {"at": "at_us"}),
        (Victim, core_rows.VictimRow, {}),
    ],
)
def test_columns_stand_in_the_order_of_the_cores_rows(model, row, extra):
    names = [extra.get(name, name) for name in row._fields]
    if model is PluginVerdict:
        names.insert(1, "position")
    assert bulk.column_names(model) == ("run_id", *names)


def test_a_run_that_needs_preemption_has_its_rows(launch, save, again):
    low = [pod(f"low-{n}", "4", priority=0, nodeName=f"node-{n}") for n in range(2)]
    manifests = [node("node-0", "4"), node("node-1", "4"), *low, pod("high", "4", priority=1000)]
    run = launch(revision=save(manifests), schedule="pending")
    execution.work()
    run = again(run)
    assert run.state == State.FINISHED, run.error
    preemption = Preemption.objects.get(run=run)
    victim = Victim.objects.get(run=run)
    assert (preemption.pod, preemption.victims) == ("default/high", 1)
    assert victim.pod == f"default/low-{victim.node[-1]}"
    assert victim.preemptor == "default/high"
    assert (run.head.preemptions, run.head.victims) == (1, 1)
    assert PluginVerdict.objects.filter(run=run, plugin="NodeResourcesFit").exists()


def test_stored_rows_are_those_of_the_stored_events(launch, save, monkeypatch):
    one_slice_at_a_time(monkeypatch)
    low = [pod(f"low-{n}", "4", priority=0, nodeName=f"node-{n}") for n in range(4)]
    high = [pod(f"high-{n}", "3", priority=1000) for n in range(6)]
    run = launch(revision=save([*(node(f"node-{n}", "4") for n in range(4)), *low, *high]), schedule="pending")
    execution.work()
    with recordings.reading(run.pk) as reader:
        events = reader.events(0, reader.head_seq())
    built = rows.build(run.pk, events)
    assert built.tables[Preemption]
    for model, expected in built.tables.items():
        columns = bulk.column_names(model)
        assert set(model.objects.filter(run=run).values_list(*columns)) == set(expected), model
    head = RunHead.objects.get(run=run)
    assert {name: getattr(head, name) for name in built.counts} == built.counts

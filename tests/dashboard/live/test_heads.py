"""Where watched runs stand, read at once."""

from __future__ import annotations

import pytest

from dashboard.live.heads import progress_of
from dashboard.runs import execution
from dashboard.runs.models import Run, RunHead, RunStop, State

pytestmark = pytest.mark.django_db


def test_all_runs_are_read_by_one_query_and_those_that_are_gone_are_absent(launch, django_assert_num_queries):
    first, second = launch(), launch()
    with django_assert_num_queries(1):
        progress = progress_of([first.pk, second.pk, second.pk + 1000])
    assert sorted(progress) == [first.pk, second.pk]


def test_a_status_tells_how_the_run_ended_and_where(launch):
    run = launch()
    execution.work()
    progress = progress_of([run.pk])[run.pk]
    head = RunHead.objects.get(run=run)
    status = progress.status()
    assert (status["type"], status["run"], status["state"]) == ("status", run.pk, "finished")
    assert tuple(status["head"][name] for name in ("seq", "cycle", "at")) == (head.seq, head.cycle, head.at_us)
    assert status["reason"] == Run.objects.get(pk=run.pk).finish_reason


def test_words_of_a_failure_count_more_than_the_reason_of_an_end(launch):
    run = launch()
    Run.objects.filter(pk=run.pk).update(state=State.FAILED, error="no memory", finish_reason="done")
    RunHead.objects.filter(run=run).update(pause_requested=True)
    progress = progress_of([run.pk])[run.pk]
    assert progress.status()["reason"] == "no memory"
    assert progress.standing == ("failed", True, None)


def test_a_stopped_run_says_where_it_stands(launch):
    run = launch()
    Run.objects.filter(pk=run.pk).update(state=State.STOPPED)
    RunStop.objects.create(run=run, seq=12, index=3, name="No node")
    progress = progress_of([run.pk])[run.pk]
    assert progress.standing == ("stopped", False, 12)
    assert progress.status()["stop"] == {"name": "No node", "seq": 12, "index": 3}

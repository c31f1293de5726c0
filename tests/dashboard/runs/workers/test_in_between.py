"""What a worker does in between."""

from __future__ import annotations

from datetime import timedelta

import pytest

from dashboard.runs.lifecycle import other_work, waiting
from dashboard.runs.models import Run, State
from dashboard.runs.workers.in_between import InBetween


def test_a_run_gets_its_segment_once_it_has_waited_for_a_turn(launch, monkeypatch):
    run = launch(2, 3)
    monkeypatch.setattr(waiting, "FOUND_NOBODY", timedelta(seconds=-60))
    between = InBetween()
    between()
    run.refresh_from_db()
    assert run.state == State.QUEUED
    monkeypatch.setattr(waiting, "SHORT_TURN_SECONDS", 0.0)
    between()
    run.refresh_from_db()
    assert run.state == State.FINISHED


@pytest.mark.django_db
def test_others_know_that_something_waits_for_them():
    noted = []
    InBetween(lambda: noted.append(other_work.is_held_back()))()
    assert noted == [True]
    assert not other_work.is_held_back()


def test_runs_that_were_deleted_go_in_between(launch):
    run = launch(2, 3)
    Run.everything.filter(pk=run.pk).update(state=State.DELETING)
    InBetween()()
    assert not Run.everything.filter(pk=run.pk).exists()

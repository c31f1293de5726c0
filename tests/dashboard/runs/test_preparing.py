"""What pages ask workers to prepare: once per run and kind, by whoever is free, between slices of the run itself."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.db.models.functions import Now

from dashboard.common.database import work_queue
from dashboard.runs import execution, preparing, sessions
from dashboard.runs.lifecycle import waiting
from dashboard.runs.models import Preparation
from dashboard.runs.storage import outcomes

pytestmark = pytest.mark.django_db
OUTCOMES = preparing.Kind.OUTCOMES


@pytest.fixture
def sent(monkeypatch):
    """The messages that were sent."""
    sent = []
    monkeypatch.setattr(waiting, "wake_preparation", lambda: sent.append("prepare"))
    return sent


def age(run, **fields):
    Preparation.objects.filter(run_id=run.pk).update(**{name: Now() - ago for name, ago in fields.items()})


def test_asking_again_sends_no_second_message_until_the_first_may_be_lost(launch, sent):
    run = launch(2, 3)
    for _ in range(3):
        preparing.ask(run, OUTCOMES)
    assert len(sent) == 1
    age(run, asked_at=2 * work_queue.SENT_AGAIN)
    preparing.ask(run, OUTCOMES)
    assert len(sent) == 2


def test_what_one_worker_has_claimed_another_leaves_until_it_is_abandoned(launch, again, sent):
    run = launch(2, 3)
    execution.work()
    preparing.ask(again(run), OUTCOMES)
    age(run, claimed_at=timedelta())
    assert not preparing.work()
    age(run, claimed_at=2 * work_queue.ABANDONED)
    assert preparing.work()
    assert not preparing.work()


def test_a_worker_that_executes_the_run_prepares_it_between_two_slices(launch, again, sent, monkeypatch):
    run = launch(3, 40)
    heads = []
    advance = sessions.RunSession.advance

    def advance_little(self, *limits):
        preparing.ask(again(run), OUTCOMES)
        age(run, asked_at=2 * preparing.LEFT_TO_OTHERS)
        summary = outcomes.stored(again(run))
        heads.append(summary.seq if summary else None)
        return advance(self, max_cycles=5)

    monkeypatch.setattr(sessions.RunSession, "advance", advance_little)
    execution.work()
    grown = [head for head in heads if head]
    assert len(grown) > 2
    assert grown == sorted(set(grown))


def test_a_deleted_run_is_no_longer_prepared(launch, sent):
    run = launch(2, 3)
    preparing.ask(run, OUTCOMES)
    Preparation.objects.filter(run_id=run.pk).update(run_id=run.pk + 1000)
    assert preparing.work()
    assert not Preparation.objects.filter(asked_at__isnull=False).exists()

"""Who gives way to whom, and messages that cannot be sent."""

from __future__ import annotations

import logging

import pytest
from celery import current_app
from kombu.exceptions import OperationalError

from dashboard.runs import actions
from dashboard.runs.lifecycle import leases, waiting
from dashboard.runs.models import RunHead, State
from dashboard.runs.storage import batches

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def nobody_is_free(monkeypatch):
    """Waiting runs count at once, as if they had found no worker."""
    monkeypatch.setattr(waiting, "FOUND_NOBODY", waiting.FOUND_NOBODY * 0)


@pytest.mark.parametrize(
    ("mine", "rival", "seconds", "gives_way"),
    [
        ("background", "short", 0, True),
        ("background", "background", 0, False),
        ("background", "background", waiting.BACKGROUND_TURN_SECONDS, True),
        ("short", "short", 0, False),
        ("short", "short", waiting.SHORT_TURN_SECONDS, True),
        ("short", "background", waiting.SHORT_TURN_SECONDS, False),
        ("short", None, waiting.SHORT_TURN_SECONDS, False),
        ("background", None, waiting.LONGEST_TURN_SECONDS, True),
    ],
)
def test_turns(launch, mine, rival, seconds, gives_way):
    run = launch(1, 1, is_background=mine == "background")
    leases.claim(run.pk)
    if rival:
        launch(1, 1, is_background=rival == "background")
    assert waiting.others(run, seconds) is gives_way


def test_a_run_that_gave_way_waits_behind_its_equals(launch):
    first, second = launch(1, 1), launch(1, 1)
    leases.leave(leases.claim(first.pk), State.QUEUED, 1.5)
    assert waiting.runs(include_background=True) == [second.pk, first.pk]
    assert RunHead.objects.get(run=first).busy_seconds == 1.5


def test_a_wish_to_pause_outlives_giving_way(launch, editor, again):
    run = launch(1, 1)
    lease = leases.claim(run.pk)
    actions.pause_run(editor.member, run)
    leases.leave(lease, State.QUEUED, 0)
    assert leases.read_requests(leases.claim(run.pk)).pause
    actions.resume_run(editor.member, run)
    assert not again(run).head.pause_requested


def test_a_broker_that_is_away_only_delays(launch, monkeypatch, caplog):
    def away(*args, **kwargs):
        raise OperationalError("no route")

    monkeypatch.undo()
    monkeypatch.setattr(current_app, "send_task", away)
    with caplog.at_level(logging.WARNING):
        waiting.wake(is_background=False)
    assert "the next reconciliation will find the run" in caplog.text


def test_the_messages_name_tasks_that_exist(monkeypatch):
    from dashboard.runs import tasks

    sent = []
    monkeypatch.setattr(current_app, "send_task", lambda name, queue: sent.append((name, queue)))
    waiting.wake(is_background=False)
    waiting.wake(is_background=True)
    waiting.wake_deletion()
    queues = ("runs", tasks.work), ("background", tasks.work_in_background), ("background", tasks.delete_marked)
    assert sent == [(task.name, queue) for queue, task in queues]


def test_sizes_add_up(launch):
    run = launch(1, 1)
    lease = leases.claim(run.pk)
    keyframe = batches.StoredKeyframe(5, 1, 1, b"x" * 1000)
    batches.write(lease, batches.CommitBatch(old_seq=0, seq=5, cycle=1, at_us=0, keyframe=keyframe))
    assert RunHead.objects.get(run=run).size_bytes == 1000

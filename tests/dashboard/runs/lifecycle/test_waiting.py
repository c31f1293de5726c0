"""Who gives way to whom, and messages that cannot be sent."""

from __future__ import annotations

import logging

import pytest
from celery import current_app
from kombu.exceptions import OperationalError

from dashboard.accounts.models import Role
from dashboard.runs import actions
from dashboard.runs.actions import Launch
from dashboard.runs.lifecycle import leases, waiting
from dashboard.runs.models import Run, RunHead, State
from dashboard.runs.storage import batches
from tests.dashboard.conftest import join

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


@pytest.fixture
def others(workspace):
    """Two more people who start runs: functions that return a waiting run of theirs."""
    people = [join(workspace, name, Role.EDITOR).member for name in ("Ben", "Cem")]
    return [lambda run, member=member: copy_of(run, member) for member in people]


def copy_of(run, member):
    """Return a run of the same inputs that this member started."""
    return actions.create_run(member, Launch(run.revision))


def in_turn():
    """Return the waiting runs in the order in which a worker ends them, each in one go."""
    ended = []
    while ids := waiting.runs(include_background=True):
        leases.leave(leases.claim(ids[0]), State.FINISHED, 0)
        ended.append(ids[0])
    return ended


def test_many_runs_of_one_person_delay_the_first_of_another_by_one(launch, others):
    first = launch(1, 1)
    many = [first, *(launch(revision=first.revision) for _ in range(20))]
    lease = leases.claim(first.pk)
    other = others[0](first)
    assert waiting.runs(include_background=True)[0] == other.pk
    leases.leave(lease, State.FINISHED, 0)
    assert in_turn() == [other.pk, *(run.pk for run in many[1:])]


def test_people_take_turns_and_the_runs_of_each_go_by_number(launch, others):
    first = launch(1, 1)
    mine = [first.pk, launch(revision=first.revision).pk, launch(revision=first.revision).pk]
    ben, cem = (one(first).pk for one in others)
    ben_too = others[0](first).pk
    assert in_turn() == [mine[0], ben, cem, mine[1], ben_too, mine[2]]


def test_short_runs_go_first_whoever_had_the_latest_turn(launch, others):
    first = launch(1, 1)
    background = others[0](first)
    Run.objects.filter(pk=background.pk).update(is_background=True)
    leases.leave(leases.claim(first.pk), State.FINISHED, 0)
    short = launch(revision=first.revision)
    assert waiting.runs(include_background=True) == [short.pk, background.pk]


def test_a_cancelled_run_leaves_the_line_at_once(launch, editor):
    run, second = launch(1, 1), launch(1, 1)
    actions.cancel_run(editor.member, run)
    assert waiting.runs(include_background=True) == [second.pk]


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
    assert "next reconciliation" in caplog.text


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

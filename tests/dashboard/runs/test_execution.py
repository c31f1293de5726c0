"""Segments: what is written, how a run goes on elsewhere, who gives way, what stops it."""

from __future__ import annotations

import weakref

import pytest
from django.db import OperationalError

from dashboard.common.monitoring.log_context import WithContext
from dashboard.common.processes import memory
from dashboard.runs import actions, execution, sessions
from dashboard.runs.lifecycle import deaths, leases, waiting
from dashboard.runs.models import (
    Cycle,
    PluginScore,
    PluginTraceback,
    QueueMove,
    Run,
    RunHead,
    State,
)
from dashboard.runs.storage import batches, bulk, recordings, rows
from scheduler_core.simulate import RunSession
from tests.dashboard.run_helpers import cluster_of, undisturbed_hash
from tests.dashboard.runs.slices import die_at, one_slice_at_a_time
from tests.seeds import long_after

pytestmark = pytest.mark.django_db


def test_a_run_is_recorded_to_its_end(launch, again):
    run = launch(5, 30)
    assert execution.work()
    run = again(run)
    assert (run.state, run.error) == (State.FINISHED, "")
    assert "every pod" in run.finish_reason
    assert run.recording_hash == undisturbed_hash(cluster_of(5, 30))
    assert (run.head.scheduled, run.head.bound, run.head.cycle) == (30, 30, 30)
    assert run.head.lease_until is None
    assert run.head.size_bytes > 0
    assert Cycle.objects.filter(run=run, outcome="scheduled").count() == 30
    assert list(Cycle.objects.filter(run=run).order_by("number").values_list("number", flat=True)) == list(range(1, 31))
    assert QueueMove.objects.filter(run=run, source="", target="active").count() == 30
    assert PluginScore.objects.filter(run=run, cycle=1, plugin="NodeResourcesFit", decided=True).count() <= 1
    assert not execution.work()


# ---------------------------------------------------------------- interruptions


@pytest.mark.parametrize("moment", ["within", "after"])
@pytest.mark.parametrize("commits", long_after([9, 1, 2, 5], 2))
def test_a_worker_that_dies_around_a_commit_costs_nothing(launch, again, monkeypatch, moment, commits):
    one_slice_at_a_time(monkeypatch)
    run = launch(5, 100)
    with monkeypatch.context() as patch:
        killed = die_at(patch, moment, commits)
        with pytest.raises(killed):
            execution.work()
    sessions.forget()
    assert again(run).head.cycle == 10 * (commits - (moment == "within"))
    RunHead.objects.filter(run=run).update(lease_until=None)
    Run.objects.filter(pk=run.pk).update(state=State.QUEUED)
    execution.work()
    run = again(run)
    assert run.state == State.FINISHED, run.error
    assert run.recording_hash == undisturbed_hash(cluster_of(5, 100))
    assert Cycle.objects.filter(run=run).count() == 100
    assert run.head.scheduled == 100
    assert QueueMove.objects.filter(run=run).count() == _moves_in_recording(run)
    with recordings.reading(run.pk) as reader:
        assert reader.verify_hash() == run.recording_hash
        frames = [reader.frame(number).cycle for number in range(1, 101)]
    assert frames == list(range(1, 101))


def _moves_in_recording(run):
    with recordings.reading(run.pk) as reader:
        return sum(type(event).__name__ == "QueueMove" for _, event in reader.events(0, reader.head_seq()))


# ---------------------------------------------------------------- requests and turns


def test_pause_keeps_the_place_and_resume_goes_on(launch, again, editor, monkeypatch):
    one_slice_at_a_time(monkeypatch)
    run = launch(5, 100)
    real = batches.write

    def pause_in_the_middle(lease, batch):
        real(lease, batch)
        if batch.cycle == 40:
            actions.pause_run(editor.member, run)

    monkeypatch.setattr(batches, "write", pause_in_the_middle)
    execution.work()
    paused = again(run)
    assert (paused.state, paused.head.cycle) == (State.PAUSED, 40)
    assert not execution.work()
    actions.resume_run(editor.member, run)
    execution.work()
    assert again(run).recording_hash == undisturbed_hash(cluster_of(5, 100))


def test_cancel_keeps_what_was_recorded(launch, again, editor, monkeypatch):
    one_slice_at_a_time(monkeypatch)
    run = launch(5, 100)
    real = batches.write

    def cancel_in_the_middle(lease, batch):
        real(lease, batch)
        if batch.cycle == 40:
            actions.cancel_run(editor.member, run)
            assert again(run).state == State.CANCELLING

    monkeypatch.setattr(batches, "write", cancel_in_the_middle)
    execution.work()
    run = again(run)
    assert (run.state, run.finish_reason, run.head.cycle) == (State.CANCELLED, "cancelled", 40)
    assert Cycle.objects.filter(run=run).count() == 40


def test_a_background_run_gives_way_to_a_short_one_and_goes_on_in_memory(launch, again, monkeypatch):
    one_slice_at_a_time(monkeypatch)
    monkeypatch.setattr(waiting, "FOUND_NOBODY", waiting.FOUND_NOBODY * 0)
    long_run = launch(5, 100, is_background=True)
    short = []
    real = batches.write

    def a_short_run_comes(lease, batch):
        real(lease, batch)
        if batch.cycle == 40 and not short:
            # Named, as a cluster's version is read outside of transactions.
            short.append(launch(5, 10, policies={"kubernetes": "1.36"}))

    monkeypatch.setattr(batches, "write", a_short_run_comes)
    execution.work()
    assert (again(long_run).state, again(long_run).head.cycle) == (State.QUEUED, 40)
    execution.work()
    assert again(short[0]).state == State.FINISHED
    monkeypatch.setattr(sessions, "settled_inputs", lambda run, lease: pytest.fail("the session was not kept"))
    execution.work()
    assert again(long_run).state == State.FINISHED
    assert again(long_run).recording_hash == undisturbed_hash(cluster_of(5, 100))


def test_short_runs_are_taken_first_and_a_worker_of_short_runs_takes_no_others(launch, messages):
    background = launch(2, 4, is_background=True)
    short = launch(2, 4)
    assert waiting.runs(include_background=True) == [short.pk, background.pk]
    assert waiting.runs(include_background=False) == [short.pk]
    assert messages == [] or set(messages) <= {"work", "work_in_background"}


def test_a_large_cluster_starts_in_the_background(launch, save):
    revision = save(cluster_of(1, 5))
    revision.counts = {"Pod": 5000}
    assert actions.create_run.__name__
    assert actions._is_background(actions.Launch(revision))
    assert not actions._is_background(actions.Launch(revision, is_background=False))


# ---------------------------------------------------------------- failures


def test_a_failing_engine_ends_the_run_with_words_and_a_number(launch, again, monkeypatch, caplog):
    def broken(self, *limits):
        raise ZeroDivisionError("score of nothing")

    monkeypatch.setattr(sessions.RunSession, "advance", broken)
    run = launch(2, 3)
    caplog.handler.addFilter(WithContext())
    execution.work()
    run = again(run)
    (record,) = [record for record in caplog.records if record.exc_info]
    assert (record.run, record.run_number, record.workspace) == (run.pk, run.number, "team")
    assert record.person == run.created_by_id
    assert run.state == State.FAILED
    assert run.error.startswith("ZeroDivisionError: score of nothing (the log has it under e-")
    assert run.finished_at is not None


def test_tracebacks_of_plugins_lie_beside_the_recording(launch):
    run = launch(1, 1)
    for model, new in rows.build(run.pk, [], [(7, "Traceback ..."), (9, "another")]).tables.items():
        bulk.insert(model, new)
    texts = dict(PluginTraceback.objects.filter(run=run).values_list("seq", "text"))
    assert texts == {7: "Traceback ...", 9: "another"}


# ---------------------------------------------------------------- when something around the run fails


def fail_once(monkeypatch, place, name, error, after=False):
    """Have a function raise once, `after` it did its work or instead."""
    real, left = getattr(place, name), [error]

    def failing(*args, **options):
        if left and not after:
            raise left.pop()
        result = real(*args, **options)
        if left:
            raise left.pop()
        return result

    monkeypatch.setattr(place, name, failing)


# With transactions of its own: the worker closes its connection and opens another one.
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    ("place", "name", "after"),
    [
        (leases, "claim", True),
        (sessions, "settled_inputs", False),
        (batches, "write", False),
        (leases, "read_requests", False),
    ],
    ids=["the claim was committed", "while it loads", "while it commits", "between two commits"],
)
def test_a_worker_whose_database_failed_hands_its_run_back(launch, again, monkeypatch, place, name, after):
    run = launch(5, 30)
    one_slice_at_a_time(monkeypatch)
    fail_once(monkeypatch, place, name, OperationalError("server closed the connection"), after)
    assert execution.work()
    run = again(run)
    assert (run.state, run.head.lease_until, run.head.lease_owner, run.head.recoveries) == (State.QUEUED, None, "", 0)
    assert execution.work()
    run = again(run)
    assert (run.state, run.recording_hash) == (State.FINISHED, undisturbed_hash(cluster_of(5, 30)))


def test_a_worker_hands_back_what_it_does_not_execute_and_ends_what_was_being_cancelled(launch, again, editor):
    executed, left, cancelled = launch(2, 3), launch(2, 3), launch(2, 3)
    for run in (executed, left, cancelled):
        leases.claim(run.pk)
    actions.cancel_run(editor.member, cancelled)
    assert leases.hand_back([executed.pk]) == 2
    assert [again(run).state for run in (executed, left, cancelled)] == [State.RUNNING, State.QUEUED, State.CANCELLED]


@pytest.mark.slow
@pytest.mark.parametrize("error", long_after([MemoryError(), RuntimeError("can't start new thread")], 1), ids=repr)
def test_a_run_that_finds_no_memory_is_tried_three_times(launch, again, monkeypatch, error):
    run, other = launch(5, 30), launch(2, 3)
    real = sessions.settled_inputs

    def settled_inputs(loaded, lease):
        if loaded.pk == run.pk:
            raise error
        return real(loaded, lease)

    monkeypatch.setattr(sessions, "settled_inputs", settled_inputs)
    states = []
    for _ in range(4):
        execution.work()
        states.append(again(run).state)
    assert states.count(State.FAILED) > 0
    assert again(run).head.recoveries == 3
    assert "died 3 times" in again(run).error
    assert again(other).state == State.FINISHED


@pytest.mark.slow
def test_a_session_without_memory_is_given_back_before_its_end_is_recorded(launch, again, monkeypatch):
    run = launch(5, 30)
    alive = []

    def advance(self, *_arguments):
        alive.append(weakref.ref(self))
        raise MemoryError

    def take_over(*_arguments):
        alive.append(alive[0]())

    monkeypatch.setattr(RunSession, "advance", advance)
    monkeypatch.setattr(deaths, "take_over", take_over)
    assert execution.work()
    assert (again(run).state, alive[1:]) == (State.RUNNING, [None])


@pytest.fixture
def alive_sessions(monkeypatch):
    """Sessions of the engine that are in memory, as a set that keeps none of them."""
    sessions.forget()
    alive = weakref.WeakSet()
    original = RunSession.__init__

    def counted(self, *arguments, **options):
        original(self, *arguments, **options)
        alive.add(self)

    monkeypatch.setattr(RunSession, "__init__", counted)
    return alive


@pytest.mark.slow
def test_the_session_of_a_run_that_ended_is_freed_though_the_next_run_reads_other_inputs(
    launch, alive_sessions, monkeypatch
):
    monkeypatch.setattr(memory, "GROWN_BYTES", -(1 << 40))
    for n_nodes in (3, 4):
        launch(n_nodes, 5)
        assert execution.work()
        assert len(alive_sessions) == 0

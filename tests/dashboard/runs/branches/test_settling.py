"""A branch is the run of its own inputs, whether it takes anything over or not, and whatever becomes of its origin."""

from __future__ import annotations

import pytest

from dashboard.runs import execution, sessions
from dashboard.runs.actions import delete_run, start_anew
from dashboard.runs.branches import settling
from dashboard.runs.inputs import load_inputs
from dashboard.runs.models import (
    Cycle,
    PluginScore,
    PluginVerdict,
    Preemption,
    QueueMove,
    RecordingChunk,
    RecordingKeyframe,
    Run,
    RunBranch,
    RunHead,
    State,
    Victim,
)
from dashboard.runs.storage import deletion, recordings
from scheduler_core.simulate import RunSession
from tests.dashboard.runs.branches.conftest import ANOTHER_POD, CORDON, work
from tests.dashboard.runs.slices import die_at, one_slice_at_a_time
from tests.seeds import long_after

pytestmark = [pytest.mark.django_db, pytest.mark.slow]

ROWS = (Cycle, PluginScore, PluginVerdict, QueueMove, Preemption, Victim)
COUNTS = ("seq", "cycle", "at_us", "steps_done", "scheduled", "unschedulable", "errors", "bound", "pending")


def rows_of(run):
    columns = {model: [field.attname for field in model._meta.concrete_fields if field.name != "run"] for model in ROWS}
    return {
        model.__name__: sorted(map(repr, model.objects.filter(run_id=run.pk).values_list(*columns[model][1:])))
        for model in ROWS
    }


def hash_of_inputs(run):
    """The hash of an execution of the run's inputs in one go, from the start."""
    session = RunSession.start(load_inputs(run))
    while not session.advance():
        pass
    return session.recording_hash()


@pytest.mark.parametrize("share", long_after([0.3, 0.0, 0.77, 1.0], 2))
def test_a_branch_is_an_execution_of_its_inputs_and_shares_what_lies_before(origin, branch, share):
    made = branch(origin, int(origin.head.seq * share))
    assert (made.state, made.error) == (State.FINISHED, "")
    assert made.recording_hash == hash_of_inputs(made)
    begins = made.branch.seq
    before, changed = recordings.read_events(made.pk, 0, begins - 1), recordings.read_events(made.pk, begins, begins)
    assert before == recordings.read_events(origin.pk, 0, begins - 1)
    assert changed[0][1].change == 0
    assert made.recording_hash != origin.recording_hash


def test_what_is_taken_over_is_what_an_execution_from_the_start_writes(origin, branch, monkeypatch):
    taking = branch(origin, 300)
    monkeypatch.setattr(settling, "_find_origin", lambda branch: None)
    alone = branch(origin, 300)
    assert RecordingKeyframe.objects.filter(run=taking, seq__gt=0, seq__lt=300).exists()
    assert taking.recording_hash == alone.recording_hash
    assert taking.branch.seq == alone.branch.seq
    assert rows_of(taking) == rows_of(alone)
    for name in COUNTS:
        assert getattr(taking.head, name) == getattr(alone.head, name), name
    for name in ("engine_version", "n_nodes", "n_pods", "n_steps"):
        assert getattr(taking, name) == getattr(alone, name), name
    indexes = RecordingChunk.objects.filter(run=taking).order_by("index").values_list("index", flat=True)
    assert list(indexes) == list(range(len(indexes)))


def test_what_is_taken_over_is_not_executed_again(origin, branch, monkeypatch):
    begun = []
    real = sessions._resumed
    monkeypatch.setattr(sessions, "_resumed", lambda *what: begun.append(real(*what)) or begun[-1])
    made = branch(origin, 300, is_run=False)
    assert made.branch.seq is None
    work()
    assert begun[0].start_chunk > 0
    assert RecordingKeyframe.objects.filter(run=made, chunk=begun[0].start_chunk).get().seq < 300


@pytest.mark.parametrize("moment", ["before it begins", "when it has begun"])
def test_deleting_the_origin_breaks_nothing(origin, branch, again, editor, moment, monkeypatch):
    expected = branch(origin, 200).recording_hash
    made = branch(origin, 200, is_run=False)
    if moment == "when it has begun":
        with monkeypatch.context() as patch, pytest.raises(die_at(patch, "after", 1)):
            execution.work()
        sessions.forget()
        RunHead.objects.filter(run=made).update(lease_until=None)
        Run.objects.filter(pk=made.pk).update(state=State.QUEUED)
    delete_run(editor.member, origin)
    while deletion.delete_some():
        pass
    work()
    made = again(made)
    assert (made.state, made.recording_hash) == (State.FINISHED, expected)
    assert (made.branch.origin, made.branch.origin_number) == (None, origin.number)


@pytest.mark.parametrize("commits", long_after([2, 1, 4], 1))
@pytest.mark.parametrize("moment", ["within", "after"])
def test_a_worker_that_dies_in_a_branch_loses_nothing(origin, branch, again, monkeypatch, moment, commits):
    expected = branch(origin, 250).recording_hash
    made = branch(origin, 250, is_run=False)
    with monkeypatch.context() as patch, pytest.raises(die_at(patch, moment, commits)):
        execution.work()
    sessions.forget()
    RunHead.objects.filter(run=made).update(lease_until=None)
    Run.objects.filter(pk=made.pk).update(state=State.QUEUED)
    work()
    assert (again(made).state, again(made).recording_hash) == (State.FINISHED, expected)


def test_a_branch_of_a_branch_has_the_changes_of_both(origin, branch):
    first = branch(origin, 200, CORDON)
    second = branch(first, 400, ANOTHER_POD)
    assert second.recording_hash == hash_of_inputs(second)
    actions = [(change["at"], change["action"]) for change in second.branch.placed_changes]
    assert actions == [(first.branch.seq, "patch"), (second.branch.seq, "put")]
    earlier = branch(first, 100, ANOTHER_POD)
    assert earlier.recording_hash == hash_of_inputs(earlier)
    assert [change["action"] for change in earlier.branch.placed_changes] == ["put", "patch"]


def test_a_place_inside_of_a_cycle_is_its_beginning_and_said(origin, branch):
    cycle = Cycle.objects.filter(run=origin, number=40).get()
    made = branch(origin, cycle.first_seq + 2, is_run=False)
    execution.work()
    branched = RunBranch.objects.get(run=made)
    assert branched.seq <= cycle.first_seq
    assert "cycle 40" in branched.note


def test_a_run_in_the_middle_can_be_branched(launch, branch, again, monkeypatch):
    one_slice_at_a_time(monkeypatch)
    run = launch(5, 100)
    with monkeypatch.context() as patch:
        patch.setattr(execution, "worker_is_stopping", lambda: True)
        execution.work()
    run = again(run)
    assert run.state == State.QUEUED
    made = branch(run, run.head.seq)
    assert made.recording_hash == hash_of_inputs(made)
    assert again(run).state == State.FINISHED


def test_a_change_that_cannot_come_there_fails_the_branch_with_words(launch, branch, monkeypatch, origin):
    made = branch(origin, 100, {"action": "set_policies", "policies": {"draw": "smallest"}})
    assert made.state == State.FINISHED
    monkeypatch.setattr(settling.RunSession, "branch", refuse)
    failed = branch(origin, 100)
    assert (failed.state, failed.error) == (State.FAILED, "entry 3")


def refuse(*_words, **_more):
    raise settling.BranchError("entry 3")


def test_started_anew_a_branch_is_the_same_branch(origin, branch, again, editor):
    made = branch(origin, 200)
    anew = start_anew(editor.member, made)
    work()
    anew = again(anew)
    assert anew.recording_hash == made.recording_hash
    assert (anew.branch.origin_id, anew.branch.changes) == (origin.pk, made.branch.changes)


def test_an_origin_that_is_being_deleted_gives_nothing(origin, branch):
    made = branch(origin, 300)
    assert settling._find_origin(made.branch).pk == origin.pk
    Run.everything.filter(pk=origin.pk).update(state=State.DELETING)
    assert settling._find_origin(made.branch) is None


def test_a_prefix_can_be_read_as_the_recording_of_the_other_run(origin, branch):
    other = branch(origin, 300, is_run=False)
    assert settling.take_over(origin.pk, other.pk, 300)
    head = RunHead.objects.get(run=other)
    assert 0 < head.seq < 300
    with recordings.reading(other.pk) as copy, recordings.reading(origin.pk) as reader:
        assert copy.events(0, head.seq) == reader.events(0, head.seq - 1)
        assert copy.state_at(head.seq) == reader.state_at(head.seq)
        counts = copy.state_at(head.seq).counts
    assert (head.scheduled, head.unschedulable, head.bound) == (counts.scheduled, counts.unschedulable, counts.bound)
    assert Cycle.objects.filter(run=other).count() == head.cycle
    moves = QueueMove.objects.filter(run=origin, seq__lt=head.seq)
    assert QueueMove.objects.filter(run=other).count() == moves.count() > 0
    assert head.size_bytes > sum(RecordingChunk.objects.filter(run=other).values_list("size_bytes", flat=True))


@pytest.mark.parametrize("seq", [0, 1, 5])
def test_before_the_first_keyframe_there_is_nothing_to_take_over(origin, branch, seq):
    other = branch(origin, seq, is_run=False)
    assert not settling.take_over(origin.pk, other.pk, seq)
    assert RunHead.objects.get(run=other).seq == 0
    assert not RecordingKeyframe.objects.filter(run=other).exists()


def test_of_a_run_that_is_gone_nothing_is_taken_over(origin, branch):
    other = branch(origin, 300, is_run=False)
    RunHead.objects.filter(run=origin).delete()
    assert not settling.take_over(origin.pk, other.pk, 300)


def test_every_table_of_a_recording_is_taken_over():
    derived = {"RunOutcomes", "Preparation", "EventIndexPiece"}
    copied = {RecordingChunk, RecordingKeyframe, *settling.BY_CYCLE, *settling.BY_SEQ}
    assert {model.__name__ for model in copied} == {model.__name__ for model, _ in deletion.TABLES} - derived

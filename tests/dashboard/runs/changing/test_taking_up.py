"""A run that is changed while it goes on: an execution of its inputs, whichever worker dies when."""

from __future__ import annotations

import pytest

from dashboard.runs import execution, sessions
from dashboard.runs.actions import pause_run, resume_run, start_anew
from dashboard.runs.branches.actions import Branching, branch_run
from dashboard.runs.changing import taking_up
from dashboard.runs.changing.actions import change_run
from dashboard.runs.inputs import load_inputs
from dashboard.runs.lifecycle.leases import LostLease
from dashboard.runs.models import Cycle, Run, RunChange, RunHead, State
from dashboard.runs.storage import recordings
from scheduler_core.recording.events import ObjectChanged
from scheduler_core.simulate import BranchError, RunSession
from tests.dashboard.run_helpers import cluster_of, node, pod, undisturbed_hash
from tests.dashboard.runs.branches.conftest import ANOTHER_POD, CORDON
from tests.dashboard.runs.slices import die_at
from tests.seeds import long_after

pytestmark = pytest.mark.django_db
LARGE = {"action": "put", "object": node("large", "512")}
HUGE_POD = {"action": "put", "object": pod("huge", "100")}


def hash_of_inputs(run, cached=True):
    """The hash of an execution of the run's inputs in one go, from the start."""
    session = RunSession.start(load_inputs(run), cached=cached)
    while not session.advance():
        pass
    return session.recording_hash()


def place_of(run, number=1):
    return RunChange.objects.get(run=run, number=number).seq


@pytest.mark.parametrize("remembers", [True, False])
def test_a_change_comes_at_the_head_and_the_run_is_an_execution_of_its_inputs(in_the_middle, finish, editor, remembers):
    run = in_the_middle()
    change_run(editor.member, run, [CORDON, LARGE, HUGE_POD])
    ended = finish(run, remembers)
    seq = place_of(run)
    assert run.head.seq <= seq <= run.head.seq + 1
    (_, event), *_rest = recordings.read_events(run.pk, seq, seq)
    assert isinstance(event, ObjectChanged)
    assert event.change == 0
    assert Cycle.objects.get(run=run, pod="default/huge", outcome="scheduled").node == "large"
    assert not Cycle.objects.filter(run=run, node="node-0", first_seq__gt=seq).exists()
    assert ended.recording_hash == hash_of_inputs(ended) == hash_of_inputs(ended, cached=False)
    assert ended.recording_hash != undisturbed_hash(cluster_of(5, 100))
    assert (ended.head.n_changes, ended.head.changes_wait) == (1, False)


def test_changes_at_several_places_come_in_their_order(in_the_middle, finish, editor, again, monkeypatch):
    run = in_the_middle(2)
    change_run(editor.member, run, [CORDON])
    change_run(editor.member, run, [ANOTHER_POD])
    with monkeypatch.context() as patch:
        patch.setattr(execution, "worker_is_stopping", lambda: True)
        execution.work()
    change_run(editor.member, again(run), [LARGE, HUGE_POD])
    ended = finish(run)
    assert place_of(run, 1) == place_of(run, 2) < place_of(run, 3)
    assert ended.recording_hash == hash_of_inputs(ended)
    assert ended.head.n_changes == 3


@pytest.mark.parametrize("moment", ["within", "after"])
@pytest.mark.parametrize("commits", long_after([2, 1, 4], 1))
def test_a_worker_that_dies_around_a_change_loses_nothing(in_the_middle, finish, editor, monkeypatch, moment, commits):
    run = in_the_middle()
    change_run(editor.member, run, [CORDON, LARGE])
    with monkeypatch.context() as patch:
        killed = die_at(patch, moment, commits)
        with pytest.raises(killed):
            execution.work()
    _give_back(run)
    ended = finish(run)
    assert ended.recording_hash == hash_of_inputs(ended)
    assert ended.head.n_changes == 1


def _give_back(run):
    """As the supervisor does with a run whose worker died."""
    sessions.forget()
    RunHead.objects.filter(run=run).update(lease_until=None)
    Run.objects.filter(pk=run.pk).update(state=State.QUEUED)


def test_a_worker_that_dies_before_the_place_is_written_leaves_the_change_waiting(
    in_the_middle, finish, editor, monkeypatch, again
):
    run = in_the_middle()
    change_run(editor.member, run, [LARGE])

    class Killed(BaseException):
        pass

    def die(*_args):
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(taking_up, "_write", die)
        with pytest.raises(Killed):
            execution.work()
    assert place_of(run) is None
    assert again(run).head.changes_wait
    _give_back(run)
    ended = finish(run)
    assert place_of(run) >= run.head.seq
    assert ended.recording_hash == hash_of_inputs(ended)


def test_a_worker_that_lost_the_run_writes_no_place(in_the_middle, editor, again):
    run = in_the_middle()
    change_run(editor.member, run, [LARGE])
    lease = execution._claim(run.pk)
    session = sessions.take(again(run)).session
    RunHead.objects.filter(run=run).update(lease_epoch=99)
    with pytest.raises(LostLease):
        taking_up.take_up(lease, again(run), session)
    assert place_of(run) is None


def test_a_change_of_a_run_that_stands_waits_until_it_goes_on(in_the_middle, finish, editor, again):
    run = in_the_middle()
    pause_run(editor.member, run)
    change_run(editor.member, again(run), [LARGE])
    while execution.work():
        pass
    assert again(run).state == State.PAUSED
    assert RunChange.objects.get(run=run).is_waiting
    resume_run(editor.member, again(run))
    ended = finish(run)
    assert place_of(run) is not None
    assert ended.recording_hash == hash_of_inputs(ended)


def test_what_the_run_refuses_keeps_the_reason_and_the_run_goes_on(in_the_middle, finish, editor, monkeypatch):
    run = in_the_middle()
    change_run(editor.member, run, [LARGE])

    def refuse(self, changes):
        raise BranchError("entry 3")

    monkeypatch.setattr(RunSession, "change", refuse)
    ended = finish(run)
    change = RunChange.objects.get(run=run)
    assert (change.error, change.seq, change.is_waiting) == ("entry 3", None, False)
    assert (ended.head.n_changes, ended.head.changes_wait) == (0, False)
    assert ended.recording_hash == undisturbed_hash(cluster_of(5, 100))


@pytest.mark.slow
def test_a_changed_run_can_be_branched_and_started_anew(in_the_middle, finish, editor):
    run = in_the_middle()
    change_run(editor.member, run, [CORDON])
    ended = finish(run)
    branch = finish(branch_run(editor.member, ended, Branching(ended.head.seq - 40, [ANOTHER_POD])))
    assert branch.recording_hash == hash_of_inputs(branch)
    assert [change["action"] for change in branch.branch.placed_changes] == ["patch", "put"]
    anew = finish(start_anew(editor.member, ended))
    assert anew.recording_hash == ended.recording_hash
    assert [one.created_by for one in anew.changes.all()] == [editor.user]


@pytest.mark.slow
def test_a_changed_branch_started_anew_is_the_same(in_the_middle, finish, editor, again, monkeypatch):
    run = in_the_middle()
    branch = branch_run(editor.member, run, Branching(run.head.seq, [CORDON]))
    with monkeypatch.context() as patch:
        patch.setattr(execution, "worker_is_stopping", lambda: True)
        for _ in range(4):
            execution.work()
    assert again(branch).head.seq
    if not again(branch).has_ended:
        change_run(editor.member, again(branch), [LARGE])
    ended = finish(branch)
    assert ended.recording_hash == hash_of_inputs(ended)
    anew = finish(start_anew(editor.member, Run.objects.select_related("branch", "head", "workspace").get(pk=ended.pk)))
    assert anew.recording_hash == ended.recording_hash

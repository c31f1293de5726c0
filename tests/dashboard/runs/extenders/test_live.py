"""A run with a tape that is paused, changed and goes on; and how long its tape is kept."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from dashboard.accounts.models import Workspace
from dashboard.common.problems import Conflict, Problem
from dashboard.documents.extenders.actions import delete
from dashboard.documents.extenders.answering import ExtenderAnswers
from dashboard.documents.models import ExtenderTape, ExtenderTapePart
from dashboard.runs import actions, execution
from dashboard.runs.changing.actions import change_run
from dashboard.runs.inputs import load_inputs
from dashboard.runs.lifecycle import quotas
from dashboard.runs.models import Cycle, Run, State
from dashboard.runs.storage import deletion
from scheduler_core.simulate import RunSession
from tests.dashboard.extender_scene import started
from tests.dashboard.runs.slices import one_slice_at_a_time

pytestmark = pytest.mark.django_db

UNSCHEDULABLE = {"kind": "Node", "metadata": {"name": "fast-1"}, "spec": {"unschedulable": True}}
CORDON = {"action": "patch", "object": UNSCHEDULABLE}
OTHER_EXTENDERS = {
    "apiVersion": "kubescheduler.config.k8s.io/v1",
    "kind": "KubeSchedulerConfiguration",
    "extenders": [{"urlPrefix": "http://elsewhere.example", "filterVerb": "filter", "nodeCacheCapable": True}],
}


@pytest.fixture
def stopped(editor, scene, tape, done, monkeypatch):
    """A run with a tape that a worker left behind its second cycle."""
    one_slice_at_a_time(monkeypatch, 1)
    run = started(editor, scene, answers=ExtenderAnswers(tape))
    asked = iter(range(2))
    with monkeypatch.context() as patch:
        patch.setattr(execution, "worker_is_stopping", lambda: next(asked, None) == 1)
        execution.work()
    run.refresh_from_db()
    run.head.refresh_from_db()
    assert (run.state, run.head.cycle, run.head.left_tape_cycle) == (State.QUEUED, 2, 0)
    return run


def test_a_change_leads_off_the_tape_with_the_references_error(editor, stopped, done):
    change_run(editor.member, stopped, [CORDON])
    run = done(stopped)
    assert run.state == State.FINISHED, run.error
    assert run.head.left_tape_cycle > 2
    failed = Cycle.objects.filter(run=run, outcome="error").order_by("number").first()
    assert failed.number == run.head.left_tape_cycle
    assert "filter of extenders[0]" in failed.message
    page = editor.get(f"/w/team/runs/{run.number}/", follow=True).content.decode()
    assert f"at cycle {run.head.left_tape_cycle}" in page


def test_a_changed_run_is_the_same_wherever_it_is_taken_up(editor, stopped, done):
    """The engine itself, given the inputs with the change at its place, comes to the same hash."""
    change_run(editor.member, stopped, [CORDON])
    run = done(stopped)
    inputs = load_inputs(run)
    assert inputs.changes
    session = RunSession.start(inputs, extenders=ExtenderAnswers(run.tape_revision).source(()))
    while not session.advance():
        pass
    assert session.recording_hash() == run.recording_hash


def test_extenders_that_the_tape_does_not_know_are_not_taken_into_a_run(editor, stopped):
    with pytest.raises(Problem, match="was recorded with"):
        change_run(editor.member, stopped, [{"action": "configure", "configuration": OTHER_EXTENDERS}])


def test_the_tape_of_a_run_goes_only_after_the_run(editor, stopped, done):
    tape = ExtenderTape.objects.get()
    run = done(stopped)
    Workspace.objects.update(retention_days=1)
    with pytest.raises(Conflict, match="need it to be repeated"):
        delete(editor.member, tape)
    assert run.recording_hash
    actions.delete_run(editor.member, run)
    with pytest.raises(Conflict, match="need it until they are gone"):
        delete(editor.member, tape)
    while deletion.delete_some():
        pass
    assert not Run.everything.filter(pk=run.pk).exists()
    delete(editor.member, tape)
    assert not ExtenderTapePart.objects.exists()


def test_retention_deletes_runs_and_never_a_tape(editor, stopped, done):
    run = done(stopped)
    Workspace.objects.update(retention_days=1)
    Run.objects.filter(pk=run.pk).update(finished_at=timezone.now() - timedelta(days=3))
    assert quotas.apply_retention()
    while deletion.delete_some():
        pass
    assert not Run.everything.filter(pk=run.pk).exists()
    assert ExtenderTapePart.objects.exists()

"""What people do with runs: who may, what changes, what is refused."""

from __future__ import annotations

import pytest

from dashboard.accounts.models import AuditEntry, Workspace
from dashboard.common.problems import Conflict, Forbidden, NotFound, Problem
from dashboard.runs import actions, execution
from dashboard.runs.actions import Launch
from dashboard.runs.models import (
    Run,
    State,
)
from tests.dashboard.run_helpers import cluster_of

pytestmark = pytest.mark.django_db


def test_a_new_run_waits_and_a_worker_is_woken(launch, messages, django_capture_on_commit_callbacks):
    with django_capture_on_commit_callbacks(execute=True):
        run = launch(2, 3, name="  first  ", seed=7)
    assert (run.number, run.name, run.state, run.seed) == (1, "first", State.QUEUED, 7)
    assert (run.n_nodes, run.n_pods, run.head.seq) == (2, 3, 0)
    assert messages == ["work"]
    assert launch(2, 3).number == 2
    assert AuditEntry.objects.filter(action="run.started").count() == 2


def test_a_background_run_goes_to_its_own_queue(launch, messages, django_capture_on_commit_callbacks):
    with django_capture_on_commit_callbacks(execute=True):
        launch(2, 3, is_background=True)
    assert messages == ["work_in_background"]


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ({"schedule": "some"}, "nothing to schedule"),
        ({"schedule": "timeline"}, "needs one"),
        ({"seed": -1}, "seed"),
        ({"seed": 2**63}, "seed"),
        ({"max_cycles": 0}, "cycles"),
        ({"max_virtual_us": 10**12}, "24 hours"),
        ({"policies": {"draw": "coin"}}, "coin"),
        ({"policies": {"luck": 1}}, "luck"),
    ],
    ids=lambda value: str(value) if isinstance(value, dict) else "",
)
def test_what_cannot_be_run_is_refused_with_words(launch, how, message):
    with pytest.raises(Problem, match=message):
        launch(2, 3, **how)
    assert not Run.objects.exists()


def test_somebody_elses_cluster_is_not_found(save, stranger, editor):
    elsewhere = save(cluster_of(1, 1), place=Workspace.objects.get(slug="elsewhere"))
    with pytest.raises(NotFound):
        actions.create_run(editor.member, Launch(elsewhere))


@pytest.mark.parametrize("act", ["pause_run", "resume_run", "cancel_run", "delete_run", "rename_run", "keep_run"])
def test_viewers_and_reviewers_may_not(launch, viewer, reviewer, act):
    run = launch(2, 3)
    extra = {"rename_run": ["x"], "keep_run": [True]}.get(act, [])
    for person in (viewer, reviewer):
        with pytest.raises(Forbidden):
            getattr(actions, act)(person.member, run, *extra)
    assert Run.objects.get(pk=run.pk).state == State.QUEUED


@pytest.mark.parametrize("act", ["pause_run", "resume_run", "cancel_run", "delete_run"])
def test_admins_of_other_workspaces_find_nothing(launch, stranger, act):
    from dashboard.accounts.models import Member

    run, member = launch(2, 3), Member.objects.get(user=stranger.user)
    with pytest.raises(NotFound):
        getattr(actions, act)(member, run)
    assert Run.objects.get(pk=run.pk).state == State.QUEUED


def test_a_waiting_run_is_paused_resumed_and_cancelled_at_once(launch, editor, again):
    run = launch(2, 3)
    actions.pause_run(editor.member, run)
    assert again(run).state == State.PAUSED
    assert not execution.work()
    actions.pause_run(editor.member, run)
    actions.resume_run(editor.member, run)
    assert again(run).state == State.QUEUED
    actions.cancel_run(editor.member, run)
    assert again(run).state == State.CANCELLED
    actions.cancel_run(editor.member, run)
    with pytest.raises(Conflict, match="cancelled"):
        actions.pause_run(editor.member, run)
    with pytest.raises(Conflict):
        actions.resume_run(editor.member, run)


def test_a_finished_run_cannot_be_paused_or_cancelled(launch, editor):
    run = launch(2, 3)
    execution.work()
    for act in (actions.pause_run, actions.cancel_run, actions.resume_run):
        with pytest.raises(Conflict, match="finished"):
            act(editor.member, run)


def test_find_run_is_by_workspace(launch, workspace, stranger):
    run = launch(2, 3)
    assert actions.find_run(workspace, run.number) == run
    with pytest.raises(NotFound):
        actions.find_run(Workspace.objects.get(slug="elsewhere"), run.number)


# ---------------------------------------------------------------- deletion, retention, limits


# ---------------------------------------------------------------- anew


def begun_elsewhere(run):
    Run.objects.filter(pk=run.pk).update(state=State.FAILED, engine_version="kube-scheduler 1.34 / 0", error="broken")
    return Run.objects.get(pk=run.pk)


def test_a_run_of_another_engine_is_started_anew_with_the_same_inputs(launch, editor, again):
    old = begun_elsewhere(launch(3, 10, seed=99, policies={"victims": "at_once"}, name="mine", max_cycles=50))
    run = actions.start_anew(editor.member, old)
    assert all(getattr(run, name) == getattr(old, name) for name in actions.INPUTS)
    assert (run.number, run.state, run.engine_version) == (old.number + 1, State.QUEUED, "")
    assert not run.can_start_anew
    execution.work()
    assert again(run).state == State.FINISHED
    assert Run.objects.get(pk=old.pk).can_start_anew, "the old run stays as it was"


def test_the_inputs_that_are_taken_over_are_all_fields_but_those_of_the_run_itself():
    own = {"id", "workspace", "number", "created_by", "created_at", "state", "error", "finish_reason", "engine_version"}
    own |= {"queued_at", "started_at", "finished_at", "recording_hash", "n_nodes", "n_pods", "n_steps"}
    fields = {field.name for field in Run._meta.concrete_fields}
    assert fields - own == set(actions.INPUTS)


def test_one_click_starts_a_run_anew_and_four_clicks_start_one(launch, editor):
    old = begun_elsewhere(launch(3, 10))
    page = editor.get(f"/w/{old.workspace.slug}/runs/")
    address = f"/w/{old.workspace.slug}/runs/{old.number}/anew"
    assert address in page.content.decode()
    responses = [editor.post(address, {"once": "a-token-of-the-form"}) for _ in range(4)]
    assert Run.objects.count() == 2
    assert {response.headers["Location"] for response in responses} == {
        f"/w/{old.workspace.slug}/runs/{old.number + 1}/"
    }

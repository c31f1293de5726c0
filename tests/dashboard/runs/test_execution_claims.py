"""A run in which pods claim devices, and a branch of it, by workers that die after each cycle."""

from __future__ import annotations

import pytest

from dashboard.documents.actions import NewText
from dashboard.documents.timelines.actions import save_timeline
from dashboard.runs import committing, execution, sessions
from dashboard.runs.branches.actions import Branching, branch_run
from dashboard.runs.inputs import load_inputs
from dashboard.runs.lifecycle import waiting
from dashboard.runs.models import State
from dashboard.runs.storage import recordings
from scheduler_core.simulate import RunSession
from tests.dashboard.run_helpers import node, pod

pytestmark = [pytest.mark.django_db, pytest.mark.slow]

API = "resource.k8s.io/v1"
NODES = ("n0", "n1")
TIMELINE = """
entries:
  - {at: 20, action: delete, object: {kind: Pod, apiVersion: v1, metadata: {name: a0}}}
  - {at: 30, action: delete, object: {kind: ResourceClaim, apiVersion: resource.k8s.io/v1, metadata: {name: held}}}
"""


def slice_of(name):
    pool = {"name": name, "generation": 1, "resourceSliceCount": 1}
    spec = {"driver": "d.io", "pool": pool, "nodeName": name, "devices": [{"name": f"d{i}"} for i in range(2)]}
    return {"apiVersion": API, "kind": "ResourceSlice", "metadata": {"name": name}, "spec": spec}


def with_claims():
    """Return two nodes with two devices each, pods for more devices than that, and a claim by name that two share."""
    asks = {"devices": {"requests": [{"name": "r", "exactly": {"deviceClassName": "any"}}]}}
    template = {"apiVersion": API, "kind": "ResourceClaimTemplate", "metadata": {"name": "one"}, "spec": {"spec": asks}}
    held = {"apiVersion": API, "kind": "ResourceClaim", "metadata": {"name": "held"}, "spec": asks}
    device_class = {"apiVersion": API, "kind": "DeviceClass", "metadata": {"name": "any"}, "spec": {}}
    own = [{"name": "own", "resourceClaimTemplateName": "one"}]
    shared = [{"name": "shared", "resourceClaimName": "held"}]
    pods = [pod(f"a{i}", resourceClaims=own) for i in range(5)]
    pods += [pod(f"s{i}", resourceClaims=shared, priority=10) for i in range(2)]
    return [*map(node, NODES), *map(slice_of, NODES), device_class, template, held, *pods]


@pytest.fixture
def start(launch, save, editor):
    """A function that starts the run."""
    revision = save(with_claims())
    timeline = save_timeline(editor.member, None, NewText("some go", TIMELINE), revision)
    return lambda: launch(revision=revision, timeline=timeline, schedule="timeline", seed=3)


def work_to_the_end():
    while execution.work():
        pass


def dying_after_each_cycle(monkeypatch):
    advance = sessions.RunSession.advance
    monkeypatch.setattr(sessions.RunSession, "advance", lambda self, *limits: advance(self, max_cycles=1))
    monkeypatch.setattr(committing, "KEYFRAME_EVENTS", 1)
    monkeypatch.setattr(committing, "KEYFRAME_BYTES_PER_EVENT", 1 << 20)
    monkeypatch.setattr(waiting, "others", lambda run, seconds: True)


def work_and_die():
    deaths = 0
    while execution.work():
        sessions.forget()
        deaths += 1
    return deaths


def undisturbed(run):
    session = RunSession.start(load_inputs(run))
    while not session.advance():
        pass
    return session.recording_hash()


def test_workers_that_die_leave_the_same_history_of_claims(start, again, editor, monkeypatch):
    whole = start()
    work_to_the_end()
    whole = again(whole)
    assert (whole.state, whole.policies["claims"]) == (State.FINISHED, "play")
    assert whole.recording_hash == undisturbed(whole)
    assert whole.head.bound == 6  # four devices, one of them shared; a place of a pod that went was taken

    dying_after_each_cycle(monkeypatch)
    torn = start()
    assert work_and_die() > 5
    assert again(torn).recording_hash == whole.recording_hash

    gone = {"action": "delete", "object": {"kind": "Pod", "metadata": {"name": "a1", "namespace": "default"}}}
    branch = branch_run(editor.member, again(torn), Branching(again(torn).head.seq, (gone,)))
    work_and_die()
    branch = again(branch)
    assert (branch.state, branch.error) == (State.FINISHED, "")
    assert branch.recording_hash == undisturbed(branch)
    with recordings.reading(branch.pk) as reader:
        assert reader.verify_hash() == branch.recording_hash
        state = reader.state_at(reader.head_seq())
    assert {f"default/a{i}" for i in (2, 3, 4)} <= set(state.placements)

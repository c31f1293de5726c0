"""What is pending now and why, as a worker computes it."""

from __future__ import annotations

import pytest

from dashboard.clusters.models import Following
from dashboard.following.workers import overview
from dashboard.following.workers.overview import read_overview
from tests.dashboard.clusters.conftest import node, pod
from tests.dashboard.following.collectors import bound, work

OWNER = [{"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "train-5d8f9c7b6d", "uid": "u", "controller": True}]


def ready(manifest, status):
    return {**manifest, "status": {**manifest["status"], "conditions": [{"type": "Ready", "status": status}]}}


def train(name):
    made = pod(name, cpu="100")
    made["metadata"] |= {"ownerReferences": OWNER, "creationTimestamp": "2026-11-28T11:30:00Z"}
    return made


def now(following):
    following.refresh_from_db()
    return read_overview(following)


def test_pending_pods_are_grouped_by_cause(collector):
    objects = [ready(node("node-a"), "True"), ready(node("node-b", unschedulable=True), "False")]
    collector.list_all(*objects, bound("web-1", "node-a"), train("train-1"), train("train-2"))
    shown = now(Following.objects.get())
    assert (shown.n_nodes, shown.n_pods, shown.n_not_ready, shown.n_cordoned) == (2, 3, 1, 1)
    assert (shown.n_pending, shown.n_computed) == (2, 2)
    (cause,) = shown.causes
    assert (cause.count, cause.pods) == (2, ["default/train-1", "default/train-2"])
    assert "INSUFFICIENT_CPU" in "".join(cause.codes) or cause.codes
    assert len(cause.owners) == 1
    assert cause.since == 1795865400.0
    assert [(part.made, part.count, part.pod) for part in cause.parts] == [(cause.since, 2, "default/train-1")]


def test_owners_beyond_the_most_are_counted_together(collector, monkeypatch):
    monkeypatch.setattr(overview, "MOST_OF_CAUSE", 5)
    collector.list_all(node("node-a"), *(pod(f"big-{n}", cpu="100") for n in range(8)))
    (cause,) = now(Following.objects.get()).causes
    assert [(part.owner, part.count, part.is_rest) for part in cause.parts[4:]] == [("big-4", 1, False), ("", 3, True)]
    assert sum(part.count for part in cause.parts) == cause.count == 8


def test_workloads_whose_pods_are_refused_are_not_created_and_not_pending(collector):
    event = {
        "apiVersion": "v1",
        "kind": "Event",
        "metadata": {"name": "api.1", "namespace": "shop"},
        "involvedObject": {"kind": "ReplicaSet", "namespace": "shop", "name": "api"},
        "reason": "FailedCreate",
        "message": '\0Error creating: pods "api-1" is forbidden: exceeded quota: compute, requested: cpu=1, '
        "used: cpu=8, limited: cpu=8",
        "lastTimestamp": "2026-11-28T11:59:00Z",
    }
    collector.send(
        *collector.listed(node("node-a")), *collector.changed("ADDED", event, file="events.jsonl"), is_listed=True
    )
    work()
    shown = now(Following.objects.get())
    assert shown.n_pending == 0
    (refused,) = shown.not_created
    assert (refused.kind, refused.namespace, refused.name) == ("ReplicaSet", "shop", "api")
    assert "compute" in refused.why


@pytest.mark.long
def test_it_is_computed_at_most_once_a_minute(followed, following, clock, monkeypatch):
    computed = []
    original = overview._computed
    monkeypatch.setattr(overview, "_computed", lambda one: computed.append(1) or original(one))
    following.refresh_from_db()
    first = following.overview_at
    assert first is not None
    for _ in range(5):
        clock.on(seconds=5)
        followed.send(*followed.changed("MODIFIED", bound("web-1", "node-b", cpu=f"{clock.seconds % 60:.0f}m")))
        work()
    assert not computed
    clock.on(seconds=40)
    work()
    assert len(computed) == 1
    following.refresh_from_db()
    assert following.overview_version == following.version
    assert following.overview_due_at is None
    clock.on(minutes=5)
    work()
    assert len(computed) == 1


def test_an_overview_that_fails_says_so_and_keeps_the_last_one(followed, following, clock, monkeypatch):
    clock.on(minutes=2)
    followed.send(*followed.changed("ADDED", pod("one")))

    def fail(_following):
        raise ValueError("odd")

    monkeypatch.setattr(overview, "_computed", fail)
    work()
    following.refresh_from_db()
    assert "odd" in following.problem
    assert read_overview(following).n_pods == 2


def test_what_failed_is_forgotten_once_it_succeeds(followed, following, clock):
    Following.objects.update(problem=f"{overview.FAILED}odd", overview_due_at=clock.now)
    work()
    following.refresh_from_db()
    assert following.problem == ""


@pytest.mark.long
def test_a_worker_that_died_at_it_is_followed_by_another(followed, following, clock, monkeypatch):
    clock.on(minutes=2)
    followed.send(*followed.changed("ADDED", bound("one", "node-a")))

    def die(_following):
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(overview, "_computed", die)
        with pytest.raises(KeyboardInterrupt):
            work()
    clock.on(minutes=3)
    work()
    assert now(following).n_pods == 3

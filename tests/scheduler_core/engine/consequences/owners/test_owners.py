"""Played owners in runs: updates, scale-downs, deletions; the same from every keyframe, and with every engine."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest

from scheduler_core.engine.kubelet_rules import KubeletRule
from scheduler_core.recording import events as ev
from scheduler_core.recording.reader import RecordingReader
from scheduler_core.recording.stores import MemoryStore
from scheduler_core.simulate import RunInputs, RunSession
from tests.scheduler_core.engine.consequences.rollout_runs import (
    images,
    inputs_of,
    node,
    played,
    rolling,
    sets_of,
    workload,
)

NODES = [node("n1"), node("n2"), node("n3")]
SLOW = (KubeletRule(ready_after=2.0, grace=1.0),)


def put(obj: dict[str, Any], at: str = "10s") -> dict[str, Any]:
    return {"at": at, "action": "update", "object": obj}


def updated(**spec: Any) -> RunInputs:
    entries = [put(workload(image="app:2", **spec))]
    return inputs_of([*NODES, workload(**spec)], entries, kubelets=SLOW)


def recorded(inputs: RunInputs) -> tuple[RunSession, RecordingReader]:
    session = RunSession.start(inputs)
    store, going = MemoryStore(session.initial_keyframe()), True
    while going:
        going = not session.advance(max_cycles=1)
        store.add(session.cut_chunk())
    return session, RecordingReader(store)


@pytest.mark.parametrize("strategy", [rolling(1, 0), rolling(0, 1), rolling("25%", "25%"), {"type": "Recreate"}])
def test_a_new_template_replaces_every_pod(strategy: dict[str, Any]) -> None:
    session, _ = played(updated(replicas=4, strategy=strategy))
    assert images(session) == ["app:2"] * 4
    assert [one.replicas for one in sets_of(session)] == [0, 4]


@pytest.mark.parametrize("kind", ["StatefulSet", "DaemonSet"])
def test_sets_without_replica_sets_are_updated_too(kind: str) -> None:
    spec = {"replicas": 3, "serviceName": "web"} if kind == "StatefulSet" else {}
    inputs = inputs_of([*NODES, workload(kind, **spec)], [put(workload(kind, image="app:2", **spec))], kubelets=SLOW)
    session, _ = played(inputs)
    assert images(session) == ["app:2"] * 3


def test_with_the_policy_off_a_new_template_changes_nothing() -> None:
    spec = {"replicas": 3}
    inputs = inputs_of([*NODES, workload(**spec)], [put(workload(image="app:2", **spec))], rollouts="ignore")
    session, events = played(inputs)
    assert images(session) == ["app:1"] * 3
    assert not [e for e in events if isinstance(e, ev.ObjectChanged) and e.kind == "ReplicaSet"]


def test_a_restart_annotation_is_a_new_template() -> None:
    again = workload(replicas=2)
    notes = {"kubectl.kubernetes.io/restartedAt": "2026-01-01T00:00:00Z"}
    again["spec"]["template"]["metadata"]["annotations"] = notes
    session, _ = played(inputs_of([*NODES, workload(replicas=2)], [put(again)]))
    pods = session.simulation.world.pods.values()
    assert [pod.annotations for pod in pods] == [notes, notes]


def test_sets_are_scaled_down_and_deleted_with_what_they_own() -> None:
    entries = [
        put(workload(replicas=1), "10s"),
        put(workload("StatefulSet", name="db", replicas=0, serviceName="db"), "10s"),
        {"at": "20s", "action": "delete", "object": {"kind": "Deployment", "metadata": {"name": "gone"}}},
    ]
    objects = [
        *NODES,
        workload(replicas=3),
        workload("StatefulSet", name="db", replicas=2, serviceName="db"),
        workload(name="gone", replicas=2),
    ]
    session, _ = played(inputs_of(objects, entries))
    names = [pod.name.partition("-")[0] for pod in session.simulation.world.pods.values()]
    assert names == ["web"]


def test_each_step_of_a_rollout_names_what_caused_it() -> None:
    session, events = played(updated(replicas=2, strategy=rolling(1, 0)))
    made = [e for e in events if isinstance(e, ev.ObjectChanged) and e.kind == "ReplicaSet"]
    name = sets_of(session)[1].name
    assert (made[0].key, made[0].action) == (f"default/{name}", "added")
    assert "scaled up from 0 to 1" in made[0].cause
    assert [e.action for e in made[1:]] == ["updated"] * 3


@pytest.mark.parametrize(
    "spec",
    [
        {"replicas": 3, "strategy": rolling(1, 1), "minReadySeconds": 2},
        {"replicas": 3, "strategy": {"type": "Recreate"}, "revisionHistoryLimit": 0},
    ],
)
def test_a_run_goes_on_from_every_keyframe_as_it_did(spec: dict[str, Any]) -> None:
    inputs = updated(**spec)
    session, reader = recorded(inputs)
    whole = session.recording_hash()
    for seq in range(0, reader.head_seq(), 7):
        again = RunSession.resume(inputs, reader.keyframe_bytes(seq))
        again.advance()
        assert again.recording_hash() == whole
    for cached in (True, False):
        plain = RunSession.start(inputs, cached=cached)
        plain.advance()
        assert plain.recording_hash() == whole


def test_all_kinds_go_on_from_keyframes() -> None:
    objects = [
        *NODES,
        workload("StatefulSet", name="db", replicas=2, serviceName="db"),
        workload("DaemonSet", name="agent"),
        workload("Job", name="batch", parallelism=2, completions=3, pod={"restartPolicy": "Never"}),
    ]
    entries = [
        put(workload("StatefulSet", "app:2", "db", replicas=2, serviceName="db"), "5s"),
        put(workload("DaemonSet", "app:2", "agent"), "6s"),
    ]
    rules = (*SLOW, KubeletRule(labels={"job-name": "batch"}, succeed_after=4.0))
    inputs = inputs_of(objects, entries, kubelets=rules)
    session, reader = recorded(inputs)
    assert images(session) == ["app:2"] * 5
    for seq in range(0, reader.head_seq(), 11):
        again = RunSession.resume(inputs, reader.keyframe_bytes(seq))
        again.advance()
        assert again.recording_hash() == session.recording_hash()


def test_a_refused_pod_is_tried_again_with_doubling_waits() -> None:
    sizes = (put(workload("ReplicaSet", replicas=4), "1s"), put(workload("ReplicaSet", replicas=4), "100s"))
    inputs = inputs_of([*NODES, workload("ReplicaSet", replicas=3)], list(sizes))
    session, tries = RunSession.start(inputs), list[int]()
    owners = session.simulation.aftermath.owners
    assert owners is not None
    owners.admit = lambda pod: "no room"
    owners.on_refused = lambda key, pod, text: tries.append(session.simulation.now())
    _run_to(session, 50_000_000)
    waits = [b - a for a, b in pairwise(tries)]
    assert waits[:2] == [0, 5_000]  # a set syncs again when its status says that it failed
    assert waits[2:13] == [20_000 << n for n in range(11)]
    owners.admit = lambda pod: pod
    session.advance()
    assert len(session.simulation.world.pods) == 4


def _run_to(session: RunSession, at: int) -> None:
    session.simulation.step()
    while (due := session.simulation.next_at()) is not None and due <= at:
        session.simulation.step()


def of_cluster(kind: str, name: str, hash_: str, made: str) -> dict[str, Any]:
    """A running pod of workload web as a dump has it."""
    owner = {"apiVersion": "apps/v1", "kind": kind, "name": "web", "uid": "u", "controller": True}
    labels = {"app": "web", "controller-revision-hash": hash_}
    return {
        "apiVersion": "v1", "kind": "Pod",
        "metadata": {"name": name, "labels": labels, "ownerReferences": [owner], "creationTimestamp": made},
        "spec": {"nodeName": "n1" if name.endswith("0") else "n2", "containers": [{"name": "main", "image": "app:1"}]},
        "status": {"phase": "Running"},
    }  # fmt: skip


@pytest.mark.parametrize("kind", ["StatefulSet", "DaemonSet"])
def test_pods_of_a_dump_keep_their_revision_by_the_label_of_the_cluster(kind: str) -> None:
    """web-0 has an older revision; web-1 is not replaced before the template changes."""
    times = ["2026-01-02T00:00:00Z", "2026-01-01T00:00:00Z"] if kind == "StatefulSet" else ["2026-01-01T00:00:00Z"] * 2
    spec = {"replicas": 2} if kind == "StatefulSet" else {}
    there = [of_cluster(kind, "web-0", "older", times[0]), of_cluster(kind, "web-1", "newer", times[1])]
    objects = [node("n1"), node("n2"), workload(kind, **spec), *there]
    _, events = played(inputs_of(objects))
    gone = [one.key for one in events if isinstance(one, ev.ObjectChanged) and one.action == "deleted"]
    assert gone == ["default/web-0"]
    change = {"at": "60s", "action": "update", "object": workload(kind, image="app:2", **spec)}
    session, events = played(inputs_of(objects, [change]))
    assert images(session) == ["app:2", "app:2"]

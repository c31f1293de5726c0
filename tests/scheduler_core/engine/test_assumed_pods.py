"""Pods that the input has decided: their room is held until their claims have volumes, or no longer wait."""

from __future__ import annotations

import pytest

from scheduler_core.api import objects as k8s
from scheduler_core.engine.assumed_pods import node_decided
from scheduler_core.framework.plugin_helpers.volume_claims import BIND_COMPLETED, SELECTED_NODE
from scheduler_core.recording import MemoryStore, RecordingReader
from scheduler_core.recording import events as ev
from scheduler_core.simulate import Policies, RunInputs, RunSession, Timeline, TimelineEntry
from scheduler_core.testing.builders import make_node, make_pod

SECOND = 1_000_000
CLASS = k8s.StorageClass(name="disk", provisioner="disk.example", volume_binding_mode="WaitForFirstConsumer")


def claim(name="c", node="n1", **fields):
    annotations = {SELECTED_NODE: node} if node else {}
    fields.setdefault("annotations", annotations)
    return k8s.PersistentVolumeClaim(name=name, storage_class_name="disk", access_modes=("ReadWriteOnce",), **fields)


def using(name, *claims, **fields):
    volumes = tuple(k8s.Volume(name=one, claim_name=one) for one in claims)
    return make_pod(name, **{"cpu": "3", "volumes": volumes, "creation_timestamp": 2.0, **fields})


def run(*pods, claims=(), entries=(), nodes=("n1",), volumes=(), **fields):
    """(session, its events) of a run of these pods on nodes of 4 cpu, carried out to its end."""
    objects = k8s.ClusterObjects(
        nodes=[make_node(name) for name in nodes],
        pods=list(pods),
        persistent_volume_claims=list(claims) or [claim()],
        persistent_volumes=list(volumes),
        storage_classes=[CLASS],
    )
    timeline = {"timeline": Timeline.of(entries), "schedule": "timeline"} if entries else {}
    session = RunSession.start(RunInputs(objects=objects, **timeline, **fields))
    store = MemoryStore(session.initial_keyframe())
    while not session.advance():
        pass
    store.add(session.cut_chunk())
    return session, [event for _, event in RecordingReader(store).events(0, 1 << 40)]


def nodes_of(session):
    """Where each pod is counted at the end; whether it is bound there."""
    pods, placements = session.simulation.world.pods, session.simulation.context.cluster.placements
    return {pod.name: (placements.get(key, ""), bool(pod.node_name)) for key, pod in pods.items()}


SECOND_POD = make_pod("second", cpu="3", creation_timestamp=1.0)


def test_the_room_of_a_pod_that_waits_at_prebind_is_held_from_the_start():
    session, events = run(using("first", "c"), SECOND_POD)
    assert nodes_of(session) == {"first": ("n1", False), "second": ("", False)}
    assert events[0] == ev.Reserved(at=0, cycle=0, pod="default/first", node="n1")
    assert {event.pod for event in events if isinstance(event, ev.CycleStarted)} == {"default/second"}


@pytest.mark.parametrize("fields", [{"policies": Policies(decided="ignore")}, {"schedule": "all"}])
def test_it_is_tried_as_all_others_where_the_policy_says_so_or_all_pods_are_scheduled(fields):
    session, events = run(using("first", "c"), SECOND_POD, **fields)
    assert nodes_of(session)["second"] == ("n1", True)
    assert not [event for event in events if isinstance(event, ev.Reserved) and not event.cycle]


@pytest.mark.parametrize(
    "pod",
    [
        using("first", "c", scheduling_gates=("g",)),
        using("first", "c", scheduler_name="other"),
        using("first", "c", deletion_timestamp=1.0),
        using("first", "c", cpu="5"),
        using("first", "c", "elsewhere"),
        using("first"),
    ],
    ids=["gated", "of another scheduler", "terminating", "too large", "two nodes", "no claim"],
)
def test_what_cannot_have_been_decided_so_holds_nothing(pod):
    session, _ = run(pod, SECOND_POD, claims=[claim(), claim("elsewhere", "n2")])
    assert nodes_of(session)["second"] == ("n1", True)


def test_of_pods_that_share_a_claim_the_oldest_is_held():
    _, events = run(using("late", "c", cpu="1", creation_timestamp=9.0), using("first", "c", cpu="1"))
    held = [event.pod for event in events if isinstance(event, ev.Reserved) and not event.cycle]
    assert held == ["default/first"]


def test_a_claim_that_has_a_volume_or_names_no_node_decides_nothing():
    pod = using("p", "c")
    assert node_decided(pod, {"default/c": claim()}) == "n1"
    assert node_decided(pod, {"default/c": claim(volume_name="v")}) == ""
    assert node_decided(pod, {"default/c": claim(node="")}) == ""
    assert node_decided(pod, {}) == ""


FILLED = claim(volume_name="v", annotations={SELECTED_NODE: "n1", BIND_COMPLETED: "yes"}, phase="Bound")
VOLUME = k8s.PersistentVolume(name="v", storage_class_name="disk")


@pytest.mark.parametrize(
    ("entry", "ends"),
    [
        (("put", FILLED), {"first": ("n1", True), "second": ("", False)}),
        (("put", claim(node="")), {"first": ("", False), "second": ("n1", True)}),
        (("delete", claim()), {"first": ("", False), "second": ("n1", True)}),
        (("delete", using("first", "c")), {"second": ("n1", True)}),
        (("put", using("first", "c", node_name="n1")), {"first": ("n1", True), "second": ("", False)}),
        (("delete", make_node("n1")), {"first": ("", False), "second": ("", False)}),
    ],
    ids=["volume", "not decided", "claim gone", "pod gone", "bound", "node gone"],
)
def test_a_change_of_what_it_waits_for_binds_it_or_lets_it_go(entry, ends):
    session, events = run(
        using("first", "c"), SECOND_POD, entries=[TimelineEntry(5 * SECOND, *entry)], volumes=[VOLUME]
    )
    assert nodes_of(session) == ends
    released = [event.pod for event in events if isinstance(event, ev.Unreserved)]
    assert released == ([] if ends.get("first", ("", False))[1] else ["default/first"])
    state = session.simulation.recorder.state
    assert {key: (one.node, one.bound) for key, one in state.placements.items()} == {
        f"default/{name}": place for name, place in ends.items() if place[0]
    }


def test_a_run_that_is_resumed_holds_what_it_held():
    objects = k8s.ClusterObjects(
        nodes=[make_node("n1")],
        pods=[using("first", "c"), SECOND_POD],
        persistent_volume_claims=[claim()],
        persistent_volumes=[VOLUME],
        storage_classes=[CLASS],
    )
    entries = [TimelineEntry(5 * SECOND, "put", FILLED), TimelineEntry(6 * SECOND, "put", make_node("n2"))]
    inputs = RunInputs(objects=objects, timeline=Timeline.of(entries), schedule="timeline")
    whole, hashes = RunSession.start(inputs), set()
    while not whole.advance():
        pass
    for steps in range(1, 9):
        session = RunSession.start(inputs)
        for _ in range(steps):
            session.simulation.step()
        session = RunSession.resume(inputs, session.cut_chunk().keyframe)
        while not session.advance():
            pass
        hashes.add(session.recording_hash())
    assert hashes == {whole.recording_hash()}


def test_a_held_pod_can_be_a_victim_and_its_room_is_free_then():
    high = make_pod("high", cpu="3", priority=100)
    session, _ = run(using("first", "c"), high)
    assert nodes_of(session) == {"high": ("n1", True)}

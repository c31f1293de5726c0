"""Runs that play quotas, ranges of limits and classes."""

from __future__ import annotations

from typing import Any

import pytest

from scheduler_core.admission.ledger import Book
from scheduler_core.api.objects import ClusterObjects, Container, Pod
from scheduler_core.api.quotas import RuntimeClass
from scheduler_core.compiled import without_kernel
from scheduler_core.engine.consequences.aftermath import Aftermath
from scheduler_core.recording import events as ev
from scheduler_core.simulate import Policies, RunInputs, RunSession, Timeline, TimelineEntry
from scheduler_core.testing.builders import make_node, make_pod
from tests.scheduler_core.crowded import recorded
from tests.scheduler_core.engine.arrivals.quota_histories import (
    PLAYED,
    SECOND,
    history,
    made_up,
    quota,
    range_of,
    replicas,
)
from tests.scheduler_core.engine.scenarios import finished
from tests.seeds import each_seed

MILLISECOND = 1_000
NONE = quota(pods=0)


def run(
    *entries: tuple[float, str, Any], objects: ClusterObjects | None = None, policies: Policies = PLAYED, **fields: Any
) -> tuple[RunSession, list[Any]]:
    """A run of a node and these objects."""
    given = objects or ClusterObjects(nodes=[make_node("n", cpu="100")], **fields)
    timeline = Timeline.of([TimelineEntry(round(at * SECOND), action, obj) for at, action, obj in entries])  # type: ignore[arg-type]
    return finished(RunInputs(objects=given, timeline=timeline, schedule="timeline", policies=policies))


def refusals(events: list[Any]) -> list[ev.CreationRefused]:
    return [event for event in events if isinstance(event, ev.CreationRefused)]


def pods_of(session: RunSession) -> dict[str, Pod]:
    return session.simulation.world.pods


def test_pods_beyond_a_quota_are_not_made_and_the_run_ends_with_that():
    web = replicas("web", 4)
    session, events = run(workloads=[web], pods=made_up(web), resource_quotas=[quota(pods=2)])
    assert len(pods_of(session)) == 2
    first = refusals(events)[0]
    assert (first.at, first.code, first.by) == (0, "NOT_CREATED_QUOTA", "ResourceQuota/a/q")
    assert first.maker == "ReplicaSet a/web"
    assert first.message == (
        'pods "web-2" is forbidden: exceeded quota: q, requested: pods=1, used: pods=2, limited: pods=2'
    )
    (short,) = events[-1].missing
    assert (short.desired, short.bound, short.unmade, short.why) == (4, 2, 2, "quota q refuses them")
    assert events[-1].at < 10 * SECOND, "tries that must fail do not keep a run going"


def test_a_raised_quota_lets_pods_in_at_the_next_try_of_their_owner():
    web = replicas("web", 3)
    session, events = run(
        (1, "put", quota(pods=3)), workloads=[web], pods=made_up(web), resource_quotas=[quota(pods=0)]
    )
    times = [event.at / MILLISECOND for event in refusals(events)]
    assert times == [0, 5, 15, 35, 75, 155, 315, 635]
    made = [e for e in events if isinstance(e, ev.ObjectChanged) and e.action == "added" and e.kind == "Pod"]
    assert [one.at / MILLISECOND for one in made] == [1275, 1275, 1275]
    assert len(pods_of(session)) == 3


def test_a_job_tries_again_after_whole_seconds():
    batch = replicas("batch", 2, kind="Job")
    _, events = run((20, "put", quota(pods=2)), workloads=[batch], pods=made_up(batch), resource_quotas=[quota(pods=0)])
    assert [event.at / SECOND for event in refusals(events)] == [0, 1, 3, 7, 15]


def test_a_terminating_pod_counts_until_it_is_gone():
    web = replicas("web", 2, termination_grace_period_seconds=8)
    gone = made_up(web)[0]
    session, events = run((5, "delete", gone), workloads=[web], pods=made_up(web), resource_quotas=[quota(pods=2)])
    del session
    assert all(event.at >= 5 * SECOND for event in refusals(events))


@pytest.mark.parametrize("kind", ["ReplicaSet", "StatefulSet"])
def test_each_try_is_caused_by_the_refusal_before(kind: str):
    web = replicas("web", 1, kind=kind)
    inputs = RunInputs(
        objects=ClusterObjects(workloads=[web], pods=made_up(web), resource_quotas=[NONE]),
        timeline=Timeline.of([TimelineEntry(SECOND, "put", NONE)]),
        schedule="timeline",
        policies=PLAYED,
    )
    reader = recorded(inputs)
    seqs = [seq for seq, _ in reader.select_events(0, reader.head_seq(), ev.CreationRefused)]
    assert len(seqs) > 3
    assert [reader.cause(seq) for seq in seqs[1:]] == seqs[:-1]


def test_a_range_gives_requests_and_a_class_overhead_and_they_are_recorded():
    web = replicas("web", 1, containers=(Container("main"),), runtime_class_name="kata")
    session, events = run(
        (1, "put", make_pod("late", None, namespace="a", uid="")),
        workloads=[web],
        pods=made_up(web),
        limit_ranges=[range_of(default={"cpu": 700}, default_request={"cpu": 200})],
        runtime_classes=[RuntimeClass(name="kata", overhead={"cpu": 50}, node_selector={})],
    )
    pods = pods_of(session)
    assert pods["a/web-0"].containers[0].requests == {"cpu": 200} == pods["a/late"].containers[0].requests
    assert pods["a/web-0"].overhead == {"cpu": 50}
    put = next(e for e in events if isinstance(e, ev.ObjectChanged) and e.entry == 0)
    assert put.object, "the timeline has not what was made of it"


def test_an_unknown_runtime_class_refuses_where_the_input_holds_some():
    pod = make_pod("p", namespace="a", uid="", runtime_class_name="gvisor")
    classes = [RuntimeClass(name="kata")]
    session, events = run(pods=[pod], runtime_classes=classes)
    assert [event.code for event in refusals(events)] == ["NOT_CREATED_RUNTIME_CLASS"]
    assert [one.workload for one in events[-1].missing] == ["Pod a/p"]
    session, events = run(pods=[pod])
    assert "a/p" in pods_of(session)


def test_pods_that_are_there_are_not_admitted_again():
    there = [make_pod(f"p{i}", namespace="a") for i in range(3)]
    session, events = run(pods=there, resource_quotas=[quota(pods=1)], limit_ranges=[range_of(max={"cpu": 10})])
    assert len(pods_of(session)) == 3
    assert not refusals(events)


def ignoring(inputs: RunInputs) -> RunInputs:
    return RunInputs(objects=inputs.objects, timeline=inputs.timeline, schedule="timeline", seed=inputs.seed)


def hash_of(inputs: RunInputs, *, cached: bool = True) -> str:
    session = RunSession.start(inputs, cached=cached)
    session.advance()
    return session.recording_hash()


@each_seed(range(40), together=10, short=10)
def test_without_objects_that_admission_reads_playing_it_changes_nothing(seed: int) -> None:
    inputs = history(seed)
    objects = ClusterObjects(nodes=inputs.objects.nodes, pods=inputs.objects.pods, workloads=inputs.objects.workloads)
    plain = RunInputs(objects=objects, policies=Policies(quotas="play", limit_ranges="play"), seed=seed)
    assert hash_of(plain) == hash_of(RunInputs(objects=objects, seed=seed))


@each_seed(range(60), together=5, short=10)
def test_the_engines_decide_the_same_and_a_run_may_be_resumed_anywhere(seed: int) -> None:
    inputs = history(seed)
    expected = hash_of(inputs, cached=False)
    assert hash_of(inputs) == expected
    with without_kernel():
        assert hash_of(inputs) == expected
    session = RunSession.start(inputs)
    while not session.advance(max_cycles=1):
        chunk = session.cut_chunk()
        assert chunk is not None
        assert chunk.keyframe is not None
        session = RunSession.resume(inputs, chunk.keyframe)
    assert session.recording_hash() == expected


def recount(aftermath: Aftermath, pods: dict[str, Pod], namespace: str) -> list[dict[str, int]]:
    """What each quota of a namespace counts, from scratch; no pod of these histories has more than one container."""
    counts = []
    for book in aftermath.admission.ledger.of(namespace):
        scopes = {scope.name for scope in book.quota.scopes}
        mine = [pod for pod in pods.values() if pod.namespace == namespace]
        if "BestEffort" in scopes:
            mine = [pod for pod in mine if not pod.containers[0].requests]
        if "NotTerminating" in scopes:
            mine = [pod for pod in mine if pod.active_deadline_seconds is None]
        cpu = sum(pod.containers[0].requests.get("cpu", 0) + pod.overhead.get("cpu", 0) for pod in mine)
        counts.append({name: len(mine) if name == "pods" else cpu for name in book.quota.hard})
    return counts


@each_seed(range(200), together=20, short=20)
def test_quotas_count_what_is_there_and_no_pod_takes_them_over(seed: int) -> None:
    session = RunSession.start(history(seed))
    aftermath, pods = session.simulation.aftermath, session.simulation.world.pods
    before: list[tuple[Book, dict[str, int]]] = []
    goes_on = True
    while goes_on:
        goes_on = session.simulation.step()
        books = [book for namespace in ("a", "b") for book in aftermath.admission.ledger.of(namespace)]
        for namespace in ("a", "b"):
            counted = [book.used for book in books if book.quota.namespace == namespace]
            assert counted == recount(aftermath, pods, namespace)
        for book, used in before:
            if any(book is one for one in books):
                assert all(now <= max(book.quota.hard[name], used[name]) for name, now in book.used.items())
        before = [(book, dict(book.used)) for book in books]

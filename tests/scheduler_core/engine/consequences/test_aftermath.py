"""What goes on after a decision: pods leave in time, owners make new ones, nodes take their pods with them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest

from scheduler_core.api.objects import ClusterObjects, OwnerReference
from scheduler_core.recording import events as ev
from scheduler_core.recording.objects import decode_object
from scheduler_core.simulate import RunInputs, RunSession
from scheduler_core.testing.builders import make_node, make_pod
from tests.scheduler_core.engine.owned_pods import SECOND, changes, job, owned, run, the_end
from tests.scheduler_core.engine.scenarios import case, everything, finished, teaching

if TYPE_CHECKING:
    from collections.abc import Callable


def bound(events: list[ev.AnyEvent]) -> dict[str, float]:
    return {e.pod: e.at / SECOND for e in events if isinstance(e, ev.Bound)}


# --- the three small cases --------------------------------------------------------------------------------------------
def test_a_terminating_pod_leaves_at_its_deletion_time_and_what_waits_gets_its_room() -> None:
    session, events = finished(case("terminating"))
    assert changes(events, "deleted") == [(29.0, "default/old", "terminated")]
    assert bound(events)["default/new"] > 29
    end = the_end(events)
    assert (end.bound, end.pending) == (len(session.simulation.world.pods), 0)
    assert "; 1 pod" in end.reason


def test_a_deleted_node_takes_its_pods_with_it_and_their_owner_makes_new_ones() -> None:
    session, events = finished(case("deployment", "node-lost-timeline"))
    gone = changes(events, "deleted")
    assert [at for at, _, _ in gone] == [5.0, 5.0]
    assert all(cause.endswith("node a") for _, _, cause in gone)
    assert len(changes(events, "added")) == 2
    assert all(not pod.node_name for pod in session.simulation.world.pods.values())
    assert the_end(events).pending == 2


# --- terminating pods -------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("deleted_at", "leaves_after"),
    [
        pytest.param(10.0, 10.0, id="within the grace period: at its deletion time"),
        pytest.param(-5.0, 30.0, id="long ago: a grace period from the start"),
        pytest.param(9_999.0, 30.0, id="later than the grace period allows: the dump has another clock"),
    ],
)
def test_when_a_pod_leaves_that_terminates_at_the_start(deleted_at: float, leaves_after: float) -> None:
    epoch = 1_767_225_601.0
    old = make_pod("old", node_name="n", start_time=epoch - 1, deletion_timestamp=epoch + deleted_at)
    _, events = run(ClusterObjects(nodes=[make_node("n")], pods=[old]))
    assert [at for at, _, _ in changes(events, "deleted")] == [leaves_after]


def test_a_pod_that_an_input_lets_terminate_leaves_after_its_grace_period() -> None:
    pod = make_pod("p", node_name="n", termination_grace_period_seconds=7)
    leaving = msgspec.structs.replace(pod, deletion_timestamp=1.0)
    _, events = run(ClusterObjects(nodes=[make_node("n")], pods=[pod]), (3, "put", leaving))
    assert changes(events, "deleted") == [(10.0, "default/p", "terminated")]
    updates = [e for e in events if isinstance(e, ev.ObjectChanged) and e.action == "updated"]
    assert [e.cause for e in updates] == ["terminating"]


# --- StatefulSets -----------------------------------------------------------------------------------------------------
def test_a_stateful_set_makes_the_second_pod_of_a_name_when_the_first_is_gone() -> None:
    first = owned("StatefulSet", "web-0", uid="first", node_name="n", cpu="3", termination_grace_period_seconds=10)
    session, events = run(
        ClusterObjects(nodes=[make_node("n", cpu="4")], pods=[first]),
        (1, "put", make_pod("hi", cpu="2", priority=10)),
    )
    assert changes(events, "deleted") == [(11.0, "default/web-0", "preempted by default/hi")]
    added = [e for e in events if isinstance(e, ev.ObjectChanged) and e.action == "added" and e.object]
    (made,) = added
    second = decode_object("Pod", made.object)
    assert (made.key, made.uid) == ("default/web-0", second.uid)
    assert second.uid != "first"
    assert made.at == changes(events, "deleted")[0][0] * SECOND
    assert session.simulation.recorder.state.uids == {"default/web-0": second.uid}
    assert session.finish_reason.startswith("1 pod stays pending")


def test_an_ordered_set_begins_with_its_first_pod_and_goes_on_when_that_runs() -> None:
    session, events = finished(everything())
    assert "shop/db-0" in session.simulation.start_pods
    assert "shop/db-1" not in session.simulation.start_pods
    runs = next(e.at / SECOND for e in events if isinstance(e, ev.Bound) and e.pod == "shop/db-0")
    at, key, cause = changes(events, "added")[0]
    assert (at, key) == (runs, "shop/db-1")
    assert "StatefulSet shop/db" in cause


def test_a_parallel_set_begins_with_all_its_pods() -> None:
    inputs = everything()
    objects = inputs.objects
    sets = [msgspec.structs.replace(w, is_parallel=True) for w in objects.workloads]
    parallel = msgspec.structs.replace(inputs, objects=msgspec.structs.replace(objects, workloads=sets))
    assert {"shop/db-0", "shop/db-1"} <= set(RunSession.start(parallel).simulation.start_pods)


# --- Jobs -------------------------------------------------------------------------------------------------------------


def test_a_job_runs_its_completions_one_after_the_other() -> None:
    first = owned("Job", "j-0", "j")
    objects = ClusterObjects(nodes=[make_node("n")], pods=[first], workloads=[job(completions=3)])
    _, events = run(objects, job_running_us=20 * SECOND)
    ends = [(round(at), cause) for at, _, cause in changes(events, "deleted")]
    assert ends == [(20, "completed"), (40, "completed"), (60, "completed")]
    assert (the_end(events).pending, the_end(events).missing) == (0, ())


def test_a_job_whose_pod_is_deleted_makes_another_after_ten_seconds() -> None:
    pod = owned("Job", "j-0", "j", node_name="n")
    objects = ClusterObjects(nodes=[make_node("n")], pods=[pod], workloads=[job(completions=1)])
    _, events = run(objects, (5, "delete", pod))
    assert [at for at, _, _ in changes(events, "added")] == [15.0]


def test_a_job_that_failed_too_often_removes_its_pods_and_the_end_says_so() -> None:
    pods = [owned("Job", f"j-{i}", "j", node_name="n") for i in range(2)]
    spec = job(completions=5, parallelism=2, backoff_limit=0)
    objects = ClusterObjects(nodes=[make_node("n")], pods=pods, workloads=[spec])
    _, events = run(objects, (5, "delete", pods[0]), job_running_us=None)
    (cause,) = [cause for at, key, cause in changes(events, "deleted") if (at, key) == (35.0, "default/j-1")]
    assert cause.endswith("failed: BackoffLimitExceeded")
    (missing,) = the_end(events).missing
    assert (missing.workload, missing.bound, missing.desired) == ("Job default/j", 0, 5)
    assert missing.why == "failed: BackoffLimitExceeded"


# --- DaemonSets -------------------------------------------------------------------------------------------------------


# --- nodes that go ----------------------------------------------------------------------------------------------------
def test_a_pod_that_is_bound_to_a_node_that_went_meanwhile_is_lost_with_it() -> None:
    pod = owned("ReplicaSet", "web-a", cpu="1")
    node = make_node("n")
    session, events = run(ClusterObjects(nodes=[node], pods=[pod]), (0.004, "delete", node))
    assert changes(events, "deleted") == [(0.005, "default/web-a", "lost with node n")]
    assert len(changes(events, "added")) == 1
    assert len(session.simulation.world.pods) == 1


def test_the_timer_of_a_pod_that_went_does_not_end_the_next_pod_of_its_name() -> None:
    first = owned("StatefulSet", "web-0", node_name="n", cpu="3", termination_grace_period_seconds=50)
    node, other = make_node("n"), make_node("m")
    session, events = run(
        ClusterObjects(nodes=[node], pods=[first]),
        (1, "put", make_pod("hi", cpu="3", priority=10)),
        (10, "put", other),
        (20, "delete", node),
    )
    (cause,) = [cause for _, key, cause in changes(events, "deleted") if key == "default/web-0"]
    assert cause.endswith("node n")
    assert session.now_us > 50 * SECOND
    assert session.simulation.world.pods["default/web-0"].node_name in ("", "m")


# --- static pods ------------------------------------------------------------------------------------------------------
STATIC = make_pod("etcd", cpu="3", node_name="n", owner_references=(OwnerReference("Node", "n"),))


def test_the_kubelet_makes_an_evicted_static_pod_anew_and_the_endless_loop_has_a_named_end() -> None:
    session, events = run(
        ClusterObjects(nodes=[make_node("n", cpu="4")], pods=[STATIC]),
        (1, "put", make_pod("hi", cpu="2", priority=10)),
        max_replacements=3,
    )
    assert all(part in session.finish_reason for part in ("limit of 3", "pod default/etcd", "4 pods"))
    assert "kubelet of node" in changes(events, "added")[0][2]
    mirror = session.simulation.world.pods["default/etcd"]
    assert (mirror.node_name, mirror.deletion_timestamp) == ("n", None)


# --- everything -------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("inputs", [everything, teaching])
def test_nothing_vanishes_unexplained(inputs: Callable[[], RunInputs]) -> None:
    session, events = finished(inputs())
    there = set(session.simulation.world.pods)
    all_pods = {pod.key for pod in session.simulation.start_pods.values()}
    for event in events:
        if isinstance(event, ev.ObjectChanged) and event.kind == "Pod":
            all_pods.add(event.key)
            if event.action == "deleted" and event.entry is None:
                assert event.cause, f"{event.key} went without a cause"
    assert all_pods - there == set(session.simulation.recorder.state.gone)


@pytest.mark.slow
def test_a_run_with_every_kind_of_owner_is_the_same_resumed_at_each_step() -> None:
    inputs = everything()
    whole = finished(inputs)[0].recording_hash()
    session = RunSession.start(inputs)
    while session.simulation.step():
        chunk = session.cut_chunk()
        if chunk is not None:
            assert chunk.keyframe is not None
            session = RunSession.resume(inputs, chunk.keyframe)
    assert session.recording_hash() == whole

"""What a run starts from: which pods are scheduled, in which order, and when it all takes place."""

from __future__ import annotations

from typing import Any

import pytest

from scheduler_core.api.config import Profile, SchedulerConfiguration
from scheduler_core.api.objects import ClusterObjects, OwnerReference
from scheduler_core.engine.inputs import settings_at, start_pods
from scheduler_core.recording import events as ev
from scheduler_core.simulate import InputChange, Policies, RunInputs, RunSession, default_schedule
from scheduler_core.testing.builders import make_node, make_pod

ON_NODE = {"node_name": "n1", "phase": "Running"}


def cluster(*pods: object) -> ClusterObjects:
    return ClusterObjects(nodes=[make_node("n1"), make_node("n2")], pods=list(pods))  # type: ignore[arg-type]


def finish(inputs: RunInputs) -> tuple[RunSession, list[ev.AnyEvent]]:
    session = RunSession.start(inputs)
    events: list[ev.AnyEvent] = []
    session.simulation.observers.append(events.append)
    session.advance()
    return session, events


def test_all_pods_as_if_none_were_bound_leaves_daemons_and_static_pods() -> None:
    daemon = make_pod("daemon", owner_references=(OwnerReference("DaemonSet", "d", controller=True),), **ON_NODE)
    mirror = make_pod("mirror", annotations={"kubernetes.io/config.mirror": "x"}, **ON_NODE)
    static = make_pod("static", owner_references=(OwnerReference("Node", "n1"),), **ON_NODE)  # annotations cut off
    pods = (daemon, mirror, static, make_pod("web", **ON_NODE))
    _, events = finish(RunInputs(objects=cluster(*pods), schedule="all"))
    assert {e.pod for e in events if isinstance(e, ev.CycleStarted)} == {"default/web"}


@pytest.mark.parametrize(
    ("policy", "decided", "placed"), [("pending", ["a", "c"], []), ("bound", ["a"], ["b"])], ids=["pending", "bound"]
)
def test_bound_pods_of_other_schedulers_wait_or_stay_bound(policy: str, decided: list[str], placed: list[str]) -> None:
    theirs = {"scheduler_name": "volcano"}
    pods = (make_pod("a", **ON_NODE), make_pod("b", **ON_NODE, **theirs), make_pod("waits", **theirs))
    also = make_pod("c", scheduler_name="second", **ON_NODE)
    profiles = (Profile(), Profile(scheduler_name="second")) if policy == "pending" else (Profile(),)
    objects = cluster(*pods, *([also] if policy == "pending" else []))
    inputs = RunInputs(
        objects=objects,
        schedule="all",
        configuration=SchedulerConfiguration(profiles=profiles),
        policies=Policies(other_schedulers=policy),  # type: ignore[arg-type]
    )
    assert [pod.name for pod in start_pods(inputs) if pod.node_name] == placed
    _, events = finish(inputs)
    assert [e.pod.rpartition("/")[2] for e in events if isinstance(e, ev.CycleStarted)] == decided


def test_pods_are_queued_in_order_of_creation() -> None:
    pods = [make_pod(name, creation_timestamp=t) for name, t in (("late", 30.0), ("early", 10.0), ("middle", 20.0))]
    _, events = finish(RunInputs(objects=cluster(*pods)))
    order = [e.pod for e in events if isinstance(e, ev.CycleStarted)]
    assert order == ["default/early", "default/middle", "default/late"]


def test_finished_pods_are_not_seen() -> None:
    _, events = finish(RunInputs(objects=cluster(make_pod("done", phase="Succeeded", node_name="n1"), make_pod("p"))))
    assert {e.pod for e in events if isinstance(e, ev.QueueMove)} == {"default/p"}


def test_the_default_schedules_all_only_when_nothing_waits() -> None:
    assert default_schedule(cluster(make_pod("p"))) == "pending"
    assert default_schedule(cluster(make_pod("p", **ON_NODE))) == "all"


def test_the_default_leaves_pods_alone_whose_node_is_not_in_the_input() -> None:
    away = make_pod("p", node_name="gone", phase="Running")
    assert default_schedule(cluster(away, make_pod("q", **ON_NODE))) == "pending"
    assert default_schedule(ClusterObjects(pods=[away])) == "pending"
    assert default_schedule(cluster(make_pod("done", node_name="gone", phase="Succeeded"))) == "all"


def test_an_empty_cluster_ends_at_once_and_says_why() -> None:
    session, (*_, end) = finish(RunInputs(objects=ClusterObjects()))
    assert isinstance(end, ev.RunFinished)
    assert (end.cycles, end.bound, end.pending) == (0, 0, 0)
    assert session.finish_reason == end.reason


def test_no_nodes_is_a_message_of_its_own() -> None:
    _, events = finish(RunInputs(objects=ClusterObjects(pods=[make_pod("p")])))
    messages = {e.message for e in events if isinstance(e, ev.CycleFinished)}
    assert messages == {"no nodes available to schedule pods"}


def test_the_limit_of_cycles_ends_a_run() -> None:
    session, _ = finish(RunInputs(objects=cluster(make_pod("a"), make_pod("b")), max_cycles=1))
    assert session.cycle == 1
    assert "limit of 1" in session.finish_reason


def test_pods_bound_now_start_behind_everything_that_the_objects_date() -> None:
    old = make_pod("old", start_time=1_900_000_000.0, **ON_NODE)
    session, _ = finish(RunInputs(objects=cluster(old, make_pod("new"))))
    start = session.simulation.world.pods["default/new"].start_time
    assert start is not None
    assert start > 1_900_000_000.0


def test_a_pod_for_another_scheduler_is_left_alone() -> None:
    session, events = finish(RunInputs(objects=cluster(make_pod("p", scheduler_name="mine"))))
    assert not [e for e in events if isinstance(e, ev.CycleStarted)]
    assert session.finish_reason.startswith("1 pod stays pending")


@pytest.mark.parametrize("search", ["all", "configured"])
def test_the_node_search_follows_the_policy(search: str) -> None:
    nodes = [make_node(f"n{i:03d}") for i in range(300)]
    objects = ClusterObjects(nodes=nodes, pods=[make_pod("p")])
    _, events = finish(RunInputs(objects=objects, policies=Policies(node_search=search)))  # type: ignore[arg-type]
    (filtered,) = [e for e in events if isinstance(e, ev.NodesFiltered)]
    # adaptive: 50 - 300/125 = 48 percent of 300 nodes
    assert filtered.visited == (300 if search == "all" else 144)


@pytest.mark.parametrize(
    ("more", "left"), [({}, ["b", "c", "nominated", "a"]), ({"without_younger": True}, ["b", "nominated", "a"])]
)
def test_a_placed_pod_decided_anew_waits_against_the_rest(more: dict[str, Any], left: list[str]) -> None:
    pods = [
        make_pod("a", node_name="n", creation_timestamp=200.0, start_time=201.0),
        make_pod("b", node_name="n", creation_timestamp=200.0),
        make_pod("c", node_name="n", creation_timestamp=300.0),
        make_pod("waits", creation_timestamp=100.0),
        make_pod("nominated", nominated_node_name="n", creation_timestamp=100.0),
    ]
    policies = Policies(decide_anew="default/a", **more)
    started = start_pods(RunInputs(objects=ClusterObjects(pods=pods), policies=policies))
    assert [pod.name for pod in started] == left
    (anew,) = (pod for pod in started if pod.name == "a")
    assert (anew.node_name, anew.phase, anew.start_time) == ("", "Pending", None)


def test_settings_hold_behind_the_event_at_which_they_changed() -> None:
    mine = SchedulerConfiguration(profiles=(Profile(scheduler_name="mine"),))
    changes = (
        InputChange(seq=4, action="configure", object=mine),
        InputChange(seq=9, action="set_policies", object=Policies(draw="smallest")),
    )
    inputs = RunInputs(objects=cluster(make_pod("p")), changes=changes)
    assert settings_at(inputs, 4) == (SchedulerConfiguration(), Policies())
    assert settings_at(inputs, 5) == (mine, Policies())
    assert settings_at(inputs, 10) == (mine, Policies(draw="smallest"))


def test_a_recording_agrees_where_settings_change() -> None:
    """The event of the change is the first for which the new settings hold."""
    mine = SchedulerConfiguration(profiles=(Profile(scheduler_name="mine"),))
    pods = [make_pod(f"p{i}") for i in range(4)]
    session, point = RunSession.branch(
        RunInputs(objects=cluster(*pods)), 12, [InputChange(seq=12, action="configure", object=mine)]
    )
    events: list[tuple[int, ev.AnyEvent]] = []
    session.observe(lambda seq, event: events.append((seq, event)))
    session.advance()
    changed = next(seq for seq, event in events if isinstance(event, ev.InputsChanged))
    assert changed == point.seq
    assert settings_at(session.inputs, changed)[0] == SchedulerConfiguration()
    assert settings_at(session.inputs, changed + 1)[0] == mine

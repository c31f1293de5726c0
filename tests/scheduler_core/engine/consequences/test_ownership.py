"""Pods and the workloads that own them."""

from __future__ import annotations

from scheduler_core.api.objects import ClusterObjects, OwnerReference, Workload
from scheduler_core.recording import events as ev
from scheduler_core.testing.builders import make_node, make_pod
from tests.scheduler_core.engine.owned_pods import changes, owned, run, the_end
from tests.scheduler_core.engine.scenarios import case, finished


def test_preempted_replicas_are_made_anew_and_wait() -> None:
    session, events = finished(case("deployment", "deployment-timeline"))
    made = [
        (at, key) for at, key, cause in changes(events, "added") if cause.startswith("made by ReplicaSet default/d-")
    ]
    assert [at for at, _ in made] == [10.0, 10.0], "as soon as the victims terminate"
    assert session.simulation.world.pods["default/hi"].node_name == "a"
    assert the_end(events).missing == (ev.Missing("Deployment default/d", desired=2, bound=0),)
    assert session.finish_reason.startswith("2 pods stay pending")
    assert {key for _, key in made} == {key for key, pod in session.simulation.world.pods.items() if not pod.node_name}


DAEMON = Workload(kind="DaemonSet", name="agent", template=make_pod("", uid=""))


def test_a_node_that_comes_gets_the_pods_of_daemon_sets_and_one_that_stops_matching_loses_them() -> None:
    tainted = make_node("m", taints=["gone:NoExecute"])
    session, events = run(
        ClusterObjects(workloads=[DAEMON]),
        (1, "put", make_node("m")),
        (5, "put", tainted),
    )
    ((at, key, cause),) = changes(events, "added")
    assert (at, cause) == (1.0, "made by DaemonSet default/agent")
    assert changes(events, "deleted") == [
        (35.0, key, "removed: DaemonSet default/agent does not match node m any more")
    ]
    assert session.finish_reason


def test_a_deployment_lacks_pods_of_those_that_it_wants_not_of_those_that_its_sets_have_together() -> None:
    shop, template = OwnerReference("Deployment", "shop", controller=True), make_pod("", uid="", cpu="1")
    old, new = (
        Workload(kind="ReplicaSet", name=name, owner=shop, replicas=n, template=template, owner_replicas=3)
        for name, n in (("shop-v1", 3), ("shop-v2", 1))
    )
    pods = [owned("ReplicaSet", f"v1-{i}", "shop-v1", cpu="1", node_name="n") for i in range(3)]
    pods.append(owned("ReplicaSet", "v2-0", "shop-v2", cpu="1"))
    _, events = run(ClusterObjects(nodes=[make_node("n", cpu="3")], pods=pods, workloads=[old, new]))
    assert the_end(events).missing == ()
    _, events = run(ClusterObjects(nodes=[make_node("n", cpu="3")], pods=pods[1:], workloads=[old, new]))
    assert the_end(events).missing == (), "the pod of the newer set has found room"
    _, events = run(ClusterObjects(nodes=[make_node("n", cpu="2")], pods=pods[2:], workloads=[old, new]))
    assert the_end(events).missing == (ev.Missing("Deployment default/shop", desired=3, bound=2, unmade=1),)


def test_during_a_rollout_a_deployment_is_counted_with_the_set_that_has_its_pods() -> None:
    """Three pods of the older set run; the one of the newer set finds no room."""
    shop, template = OwnerReference("Deployment", "shop", controller=True), make_pod("", uid="", cpu="1")
    old, new = (
        Workload(kind="ReplicaSet", name=name, owner=shop, replicas=replicas, template=template)
        for name, replicas in (("shop-v1", 3), ("shop-v2", 1))
    )
    pods = [owned("ReplicaSet", f"v1-{i}", "shop-v1", cpu="1", node_name="n") for i in range(3)]
    pods.append(owned("ReplicaSet", "v2-0", "shop-v2", cpu="1"))
    _, events = run(ClusterObjects(nodes=[make_node("n", cpu="3")], pods=pods, workloads=[old, new]))
    assert the_end(events).missing == (ev.Missing("Deployment default/shop", desired=4, bound=3),)

"""The cause of an attempt that found no node, on clusters whose answer is worked out by hand."""

from __future__ import annotations

from typing import Any

import pytest

from scheduler_core.api.labels import NodeSelector, NodeSelectorTerm, Requirement
from scheduler_core.api.objects import Affinity, NodeCondition, OwnerReference, Pod, Volume
from scheduler_core.api.taints import Toleration
from scheduler_core.explain.diagnosis import diagnose
from scheduler_core.testing.builders import make_node, make_pod
from tests.scheduler_core.explain.diagnosis.diagnosed import HOSTNAME, ZONE, diagnosed, trials_of

CONTROL_PLANE = "node-role.kubernetes.io/control-plane:NoSchedule"
GPU = "nvidia.com/gpu"


def gold(**fields: Any) -> Pod:
    return make_pod("p", node_selector={"tier": "gold"}, **fields)


def test_the_selector_is_the_cause_though_the_message_counts_a_node_under_its_taint() -> None:
    nodes = [make_node("ctl", taints=[CONTROL_PLANE]), make_node("w1"), make_node("w2")]
    diagnosis = diagnosed(nodes, [gold()])
    cause = diagnosis.cause
    assert (cause.codes, cause.plugins, cause.stage, cause.actor) == (
        ("SELECTOR_NO_MATCH",), ("NodeAffinity",), "filter", "workload",
    )  # fmt: skip
    assert (cause.opens.count, cause.opens.names) == (2, ("w1", "w2"))
    (obstacle,) = cause.obstacles
    assert (obstacle.subject, obstacle.needs, obstacle.object) == (
        "spec.nodeSelector", {"tier": "gold"}, "v1/Pod/default/p",
    )  # fmt: skip
    assert obstacle.nodes.names == ("ctl", "w1", "w2"), "all on which it is, whatever else is there"
    assert "ctl" not in cause.text
    assert (cause.also, cause.either) == ((), ())


def test_groups_hold_nodes_with_equal_obstacles_those_with_the_fewest_first() -> None:
    nodes = [make_node("ctl", taints=[CONTROL_PLANE]), make_node("w1"), make_node("w2")]
    first, second = diagnosed(nodes, [gold()]).groups
    assert (first.nodes, second.nodes) == (("w1", "w2"), ("ctl",))
    assert [key.code for key in second.obstacles] == ["SELECTOR_NO_MATCH", "TAINT_UNTOLERATED"]
    assert (second.counted, second.plugins) == ("TaintToleration", ("NodeAffinity", "TaintToleration"))
    assert len(second.texts) == 2
    assert (first.shared, second.unresolvable) == ("w1, w2", True)


def test_obstacles_are_those_of_the_readings_first_then_those_of_most_nodes() -> None:
    nodes = [make_node("ctl", taints=[CONTROL_PLANE, "old:NoSchedule"]), make_node("w1"), make_node("w2", cpu="1")]
    diagnosis = diagnosed(nodes, [gold(cpu="2")])
    assert diagnosis.obstacles[0].code == "SELECTOR_NO_MATCH"
    assert {one.code for one in diagnosis.obstacles} == {"SELECTOR_NO_MATCH", "SHORT_CPU", "TAINT_UNTOLERATED"}


def test_a_pool_that_running_pods_tolerate_by_name_is_kept_for_them() -> None:
    workers = [make_node(f"w{i}", cpu="1") for i in range(2)]
    pool = [make_node(f"g{i}", taints=["gpu=yes:NoSchedule"]) for i in range(3)]
    trainer = make_pod("train", node_name="g0", tolerations=(Toleration("gpu", "Equal", "yes", "NoSchedule"),))
    diagnosis = diagnosed([*workers, *pool], [trainer, make_pod("p", cpu="2")])
    assert diagnosis.cause.codes == ("TOO_LARGE",)
    assert [one.codes for one in diagnosis.cause.also] == [("TAINT_UNTOLERATED",)]


@pytest.mark.parametrize("keeper", ["a toleration of everything", "a DaemonSet"])
def test_what_tolerates_every_taint_makes_no_pool(keeper: str) -> None:
    owner = OwnerReference(kind="DaemonSet", name="logs", controller=True)
    on = {
        "a toleration of everything": make_pod("agent", node_name="g0", tolerations=(Toleration("", "Exists"),)),
        "a DaemonSet": make_pod(
            "agent", node_name="g0", tolerations=(Toleration("gpu", "Exists"),), owner_references=(owner,)
        ),
    }[keeper]
    nodes = [make_node("w", cpu="1"), *[make_node(f"g{i}", taints=["gpu:NoSchedule"]) for i in range(3)]]
    assert diagnosed(nodes, [on, make_pod("p", cpu="2")]).cause.codes == ("TAINT_UNTOLERATED",)


def test_a_host_that_is_asked_for_and_there_is_a_choice() -> None:
    nodes = [make_node("w1", taints=["sick=yes:NoExecute"]), *[make_node(f"w{i}") for i in range(2, 6)]]
    diagnosis = diagnosed(nodes, [make_pod("p", node_selector={HOSTNAME: "w1"})])
    assert (diagnosis.cause.codes, diagnosis.cause.opens.names) == (("TAINT_UNTOLERATED",), ("w1",))
    assert [one.codes for one in diagnosis.cause.also] == [("SELECTOR_NO_MATCH",)]


def test_a_host_that_is_asked_for_and_gone_is_none() -> None:
    nodes = [make_node("w1", taints=["sick=yes:NoExecute"]), make_node("w2")]
    diagnosis = diagnosed(nodes, [make_pod("p", node_selector={HOSTNAME: "old"})])
    assert (diagnosis.cause.codes, diagnosis.cause.opens.names) == (("SELECTOR_NO_MATCH",), ("w2",))


def test_devices_and_conditions_are_read_after_what_somebody_can_change() -> None:
    nodes = [
        *[make_node(f"cpu{i}") for i in range(5)],
        make_node("gpu", extended={GPU: "1"}, taints=["gpu:NoSchedule"]),
    ]
    diagnosis = diagnosed(nodes, [make_pod("p", extended={GPU: "1"})])
    assert (diagnosis.cause.codes, diagnosis.cause.actor) == (("TAINT_UNTOLERATED",), "workload")
    assert [(one.codes, one.actor) for one in diagnosis.cause.also] == [(("NOT_OFFERED",), "hardware")]
    dead = make_node(
        "dead", taints=["node.kubernetes.io/unreachable:NoSchedule"], conditions=(NodeCondition("Ready", "Unknown"),)
    )
    diagnosis = diagnosed([dead, make_node("w", cpu="1")], [make_pod("p", cpu="2")])
    assert diagnosis.cause.codes == ("TOO_LARGE",)
    assert [(one.codes, one.actor) for one in diagnosis.cause.also] == [(("TAINT_NODE_CONDITION",), "node-lifecycle")]


def test_a_daemonset_s_pod_is_not_told_to_go_elsewhere() -> None:
    term = NodeSelectorTerm((), (Requirement("metadata.name", "In", ("d1",)),))
    owner = OwnerReference(kind="DaemonSet", name="logs", controller=True)
    affinity = Affinity(node_required=NodeSelector((term,)))
    pod = make_pod("p", memory="1Gi", owner_references=(owner,), affinity=affinity)
    nodes = [make_node("d1", memory="512Mi"), *[make_node(f"o{i}") for i in range(4)]]
    diagnosis = diagnosed(nodes, [pod])
    assert (diagnosis.cause.opens.names, diagnosis.cause.obstacles[0].nodes.names) == (("d1",), ("d1",))
    assert [one.actor for one in diagnosis.cause.also] == ["controller"]


def test_equal_causes_are_told_as_either_or() -> None:
    nodes = [make_node("a", taints=["one:NoSchedule"]), make_node("b", taints=["two:NoSchedule"])]
    cause = diagnosed(nodes, [make_pod("p")]).cause
    assert len(cause.either) == 1
    assert {cause.opens.names, cause.either[0].opens.names} == {("a",), ("b",)}
    assert cause.text.startswith("Either taint one")
    assert " Or taint two" in cause.text


def test_a_request_larger_than_every_node_that_is_otherwise_open_is_too_large() -> None:
    nodes = [make_node("small", cpu="2"), make_node("large", cpu="8", taints=["gpu:NoSchedule"])]
    diagnosis = diagnosed(nodes, [make_pod("p", cpu="4")])
    assert {one.code for one in diagnosis.obstacles} == {"TOO_LARGE", "TAINT_UNTOLERATED"}
    full = [make_node("small", cpu="2"), make_node("full", cpu="8")]
    placed = make_pod("x", cpu="6", node_name="full")
    assert diagnosed(full, [placed, make_pod("p", cpu="4")]).cause.codes == ("SHORT_CPU",)


def test_where_no_three_obstacles_open_a_node_no_single_change_does() -> None:
    node = make_node("n", cpu="1", memory="1Gi", taints=["a:NoSchedule"], labels={ZONE: "a"}, unschedulable=True)
    cause = diagnosed([node], [gold(cpu="2", memory="2Gi")]).cause
    assert (cause.opens.count, cause.opens.names) == (0, ())


@pytest.mark.parametrize(
    ("fields", "code", "owner"),
    [
        ({"volumes": (Volume(name="v", claim_name="data"),)}, "CLAIM_MISSING", "v1/PersistentVolumeClaim/default/data"),
        ({"cpu": "8"}, "TOO_LARGE", "v1/Pod/default/p"),
    ],
)
def test_the_object_that_has_the_obstacle_is_named(fields: dict[str, Any], code: str, owner: str) -> None:
    (obstacle,) = diagnosed([make_node("n")], [make_pod("p", **fields)]).cause.obstacles
    assert (obstacle.code, obstacle.object) == (code, owner)


def test_a_node_s_own_obstacle_names_the_node() -> None:
    (obstacle,) = diagnosed([make_node("n", taints=["a:NoSchedule"])], [make_pod("p")]).cause.obstacles
    assert obstacle.object == "v1/Node//n"


def test_without_nodes_that_is_the_cause() -> None:
    cause = diagnosed([], [make_pod("p")]).cause
    assert (cause.codes, cause.stage, cause.actor) == (("NO_NODES",), "prefilter", "cluster")


def test_a_pod_that_fits_or_is_not_tried_has_no_cause() -> None:
    assert diagnose(trials_of([make_node("n")], [make_pod("p")]), "default/p") is None
    assert diagnose(trials_of([make_node("n")], [make_pod("p", scheduling_gates=("g",))]), "default/p") is None
    with pytest.raises(KeyError):
        diagnose(trials_of([make_node("n")], [make_pod("p")]), "default/nobody")


def test_a_request_that_a_node_short_of_something_else_could_hold_is_not_too_large() -> None:
    """a has the memory and lacks cpu, tiny lacks both: no node would have to be larger in memory."""
    nodes = [make_node("a", cpu="1", memory="64Gi"), make_node("tiny", cpu="1", memory="256Mi")]
    diagnosis = diagnosed(nodes, [make_pod("x", cpu="1", node_name="a"), make_pod("p", cpu="1", memory="512Mi")])
    assert ("TOO_LARGE", "memory") not in {(one.code, one.subject) for one in diagnosis.obstacles}
    assert diagnosis.cause.opens.names == ("a",)


def test_a_group_is_unresolvable_where_all_of_its_nodes_are() -> None:
    full, small = make_node("a", cpu="4"), make_node("b", cpu="1")
    on = make_pod("x", cpu="4", node_name="a", priority=10)
    for nodes in ([full, small], [small, full]):
        (group,) = diagnosed(nodes, [on, make_pod("p", cpu="2")]).groups
        assert (group.nodes, group.unresolvable) == (("a", "b"), False)


def test_all_sets_that_are_equal_are_counted_also_those_that_are_not_listed() -> None:
    nodes = [make_node(f"n{i}", taints=[f"pool-{i}:NoSchedule"]) for i in range(9)]
    cause = diagnosed(nodes, [make_pod("p")]).cause
    assert len(cause.either) == 3
    assert "7 more such" in cause.text

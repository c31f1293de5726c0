"""Spread constraints and pod affinity as they would be once other obstacles are gone, worked out by hand."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scheduler_core.api.labels import LabelSelector, Requirement
from scheduler_core.api.objects import Affinity, Node, PodAffinityTerm, TopologySpreadConstraint
from scheduler_core.explain.diagnosis.interplay import without
from scheduler_core.testing.builders import make_node, make_pod
from tests.scheduler_core.explain.diagnosis.diagnosed import ZONE, diagnosed, table_of

if TYPE_CHECKING:
    from scheduler_core.explain.diagnosis.table import FoundObstacle

WEB = LabelSelector((Requirement("app", "In", ("web",)),))


def spread(key: str, **fields: object) -> TopologySpreadConstraint:
    return TopologySpreadConstraint(topology_key=key, label_selector=WEB, **fields)  # type: ignore[arg-type]


def codes(nodes: list[Node], pods: list) -> dict[str, list[str]]:
    groups = diagnosed(nodes, pods).groups
    return {name: sorted(key.code for key in group.obstacles) for group in groups for name in group.nodes}


def test_a_zone_that_the_selector_left_out_counts_once_the_selector_is_gone() -> None:
    nodes = [make_node("a1", labels={ZONE: "a"}), make_node("c1", labels={ZONE: "c"})]
    web = make_pod("x", labels={"app": "web"}, node_name="a1")
    pod = make_pod(
        "p", labels={"app": "web"}, node_selector={"disk": "ssd"}, topology_spread_constraints=(spread(ZONE),)
    )
    assert codes(nodes, [web, pod]) == {"a1": ["SELECTOR_NO_MATCH", "SPREAD_SKEW"], "c1": ["SELECTOR_NO_MATCH"]}
    assert diagnosed(nodes, [web, pod]).cause.opens.names == ("c1",)


def test_a_zone_whose_taint_is_honoured_counts_once_the_taint_is_tolerated() -> None:
    nodes = [make_node("a1", labels={ZONE: "a"}, cpu="1")]
    nodes.append(make_node("b1", labels={ZONE: "b"}, taints=["keep:NoSchedule"]))
    nodes.append(make_node("b2", labels={ZONE: "c"}, taints=["keep:NoSchedule"]))
    web = make_pod("x", cpu="0", labels={"app": "web"}, node_name="b1")
    honoured = spread(ZONE, node_taints_policy="Honor")
    pod = make_pod("p", cpu="2", labels={"app": "web"}, topology_spread_constraints=(honoured,))
    assert codes(nodes, [web, pod])["b1"] == ["SPREAD_SKEW", "TAINT_UNTOLERATED"]
    assert codes(nodes, [web, pod])["b2"] == ["TAINT_UNTOLERATED"]


def test_nodes_without_one_key_count_for_the_other_constraint_once_the_first_is_gone() -> None:
    nodes = [make_node("a1", labels={ZONE: "a"}), make_node("b1", labels={ZONE: "b"})]
    web = make_pod("x", labels={"app": "web"}, node_name="a1")
    pod = make_pod("p", labels={"app": "web"}, topology_spread_constraints=(spread("rack"), spread(ZONE)))
    assert codes(nodes, [web, pod]) == {"a1": ["SPREAD_KEY_MISSING", "SPREAD_SKEW"], "b1": ["SPREAD_KEY_MISSING"]}


def test_of_terms_that_one_pod_has_to_match_together_the_one_that_is_missing_there_is_the_obstacle() -> None:
    nodes = [make_node("a", labels={ZONE: "a"}), make_node("b", labels={ZONE: "b"})]
    placed = [make_pod(app, labels={"app": app}, node_name=node) for app, node in (("db", "a"), ("cache", "b"))]
    terms = tuple(PodAffinityTerm(ZONE, LabelSelector((Requirement("app", "In", (app,)),))) for app in ("db", "cache"))
    on_row = diagnosed(nodes, [*placed, make_pod("p", affinity=Affinity(pod_required=terms))])
    assert [(group.nodes, [key.code for key in group.obstacles]) for group in on_row.groups] == [
        (("a",), ["AFFINITY_NO_POD"]), (("b",), ["AFFINITY_NO_POD"]),
    ]  # fmt: skip
    (on_a,), (on_b,) = (group.obstacles for group in on_row.groups)
    assert "cache" in f"{on_a.subject} {on_a.needs}"
    assert "db" in f"{on_b.subject} {on_b.needs}"


def test_the_pod_without_what_refuses_it_passes_there() -> None:
    terms = (PodAffinityTerm(ZONE, WEB),)
    pod = make_pod(
        "p",
        node_selector={"disk": "ssd"},
        affinity=Affinity(pod_required=terms),
        topology_spread_constraints=(spread("rack"), spread(ZONE, when_unsatisfiable="ScheduleAnyway")),
    )
    node = make_node("n", labels={ZONE: "a"}, unschedulable=True, taints=["gpu:NoSchedule"])
    with table_of([node], [pod]) as table:
        on_row: dict[str, FoundObstacle] = {key.code: one for key, one in table.by_row[0].items()}
        assert set(on_row) == {
            "SELECTOR_NO_MATCH", "TAINT_UNTOLERATED", "CORDONED", "SPREAD_KEY_MISSING", "AFFINITY_NO_POD",
        }  # fmt: skip
        left = without(pod, on_row.values())
    assert left.node_selector == {}
    assert [one.key for one in left.tolerations] != []
    assert all(any(one.tolerates(taint) for one in left.tolerations) for taint in node.taints)
    assert [one.topology_key for one in left.topology_spread_constraints] == [ZONE], "soft constraints stay"
    assert left.affinity is not None
    assert left.affinity.pod_required == ()

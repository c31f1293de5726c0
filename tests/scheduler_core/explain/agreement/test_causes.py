"""Likely causes of differences, tried by the engine: without them, does it agree?"""

from __future__ import annotations

import pytest

from scheduler_core.api import objects as k8s
from scheduler_core.explain.agreement import agreement
from scheduler_core.explain.agreement import causes as module
from scheduler_core.explain.agreement.texts import cause_text
from scheduler_core.simulate import RunInputs
from scheduler_core.testing.builders import make_node, make_pod


def of(*pods, nodes):
    """What is found on these nodes."""
    return agreement(RunInputs(objects=k8s.ClusterObjects(nodes=list(nodes), pods=list(pods))))


def on(node, name, cpu="1", **fields):
    return make_pod(name, cpu=cpu, memory="1Gi", node_name=node, phase="Running", **fields)


def cause_of(figures, kind, pod=0):
    return next(cause for cause in figures.bound[pod].causes if cause.kind == kind)


@pytest.mark.parametrize(
    ("node", "pod", "kind", "then", "rank"),
    [
        ({"unschedulable": True}, {}, "cordon", "tied", 1),
        ({"taints": ["late=yes:NoSchedule"]}, {}, "taints", "tied", 1),
        ({}, {"node_selector": {"disk": "ssd"}}, "labels", "only_one", 1),
        ({"cpu": "500m"}, {}, "room", "lower", 2),
    ],
    ids=["a cordon", "a taint", "a label that is gone", "room that is gone"],
)
def test_what_refuses_the_real_node_is_taken_away_and_the_pod_decided_again(node, pod, kind, then, rank):
    figures = of(on("a", "web", **pod), nodes=[make_node("a", **{"cpu": "4", **node}), make_node("b", cpu="4")])
    cause = cause_of(figures, kind)
    assert cause.then == then
    assert (cause.tried, cause.explains, cause.rank) == (True, rank == 1, rank)


def test_a_cordon_with_its_taint_is_taken_away_as_one_and_each_names_the_other():
    cordoned = make_node("a", cpu="4", unschedulable=True, taints=["node.kubernetes.io/unschedulable:NoSchedule"])
    figures = of(on("a", "web"), nodes=[cordoned, make_node("b", cpu="4")])
    causes = figures.bound[0].causes
    assert [(cause.kind, cause.beside, cause.explains) for cause in causes] == [
        ("cordon", ("taints",), True),
        ("taints", ("cordon",), True),
    ]


def test_a_cause_that_is_not_the_whole_is_said_to_be_none():
    busy = make_node("a", cpu="4", unschedulable=True)
    figures = of(on("a", "other", cpu="3"), on("a", "web", cpu="500m"), nodes=[busy, make_node("b", cpu="4")])
    cause = cause_of(figures, "cordon", pod=1)
    assert (cause.tried, cause.explains, cause.then, cause.rank) == (True, False, "lower", 2)


def test_each_trial_starts_from_the_same_state():
    nodes = [make_node("a", cpu="4", unschedulable=True), make_node("b", cpu="4", taints=["x:NoSchedule"])]
    nodes += [make_node("c", cpu="4")]
    pods = [on(name, f"p-{i}", cpu="300m") for i, name in enumerate(("a", "b", "a", "c", "b"))]
    figures = of(*pods, nodes=nodes)
    for at in range(len(pods)):
        rest = [*pods[:at], *pods[at + 1 :]]
        assert of(pods[at], *rest, nodes=nodes).bound[0] == figures.bound[at]


def test_sampling_is_tried_from_where_the_real_node_has_the_best_chance():
    nodes = [make_node(f"n{i:03d}", cpu="4", memory="8Gi") for i in range(150)]
    better = [on(f"n{i:03d}", f"rest-{i}", cpu="3") for i in range(20, 150)]
    figures = of(on("n120", "web"), *better, nodes=nodes)
    cause = cause_of(figures, "sampling")
    assert (cause.scored, cause.fitting) == (100, 150)
    assert cause.tried
    assert cause.explains
    assert cause.begins == "n050"


def test_what_the_order_of_arrivals_explains_needs_no_other_cause():
    nodes = [make_node(f"n{i:03d}", cpu="4", memory="8Gi") for i in range(150)]
    old, new = on("n000", "old", creation_timestamp=10.0), on("n000", "new", cpu="2", creation_timestamp=20.0)
    cause, *others = of(old, new, nodes=nodes).bound[0].causes
    assert (cause.kind, cause.explains, cause.then, others) == ("arrivals", True, "tied", [])


def test_causes_may_be_given_up_while_they_are_tried():
    class Enough(Exception):
        pass

    def enough(done, of):
        if done == of:
            progress.append(done)
            if len(progress) > 1:
                raise Enough

    progress = []
    objects = k8s.ClusterObjects(nodes=[make_node("a", cpu="4", unschedulable=True)], pods=[on("a", "web")])
    with pytest.raises(Enough):
        agreement(RunInputs(objects=objects), progress=enough)


def test_where_no_search_finds_it_best_that_is_said():
    nodes = [make_node(f"n{i:03d}", cpu="4", memory="8Gi") for i in range(150)]
    figures = of(on("n000", "first", cpu="2"), on("n000", "second"), nodes=nodes)
    cause = cause_of(figures, "sampling", pod=1)
    assert (cause.tried, cause.explains, cause.then) == (True, False, "lower")


def test_beyond_so_many_differences_causes_are_named_and_not_tried(monkeypatch):
    monkeypatch.setattr(module, "MOST_TRIED", 1)
    figures = of(on("a", "one"), on("a", "two"), nodes=[make_node("a", cpu="4", unschedulable=True), make_node("b")])
    assert [cause_of(figures, "cordon", pod).tried for pod in (0, 1)] == [True, False]
    assert "(tried)" not in cause_text(cause_of(figures, "cordon", 1))

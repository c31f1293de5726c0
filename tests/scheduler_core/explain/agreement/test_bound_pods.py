"""Bound pods decided anew: our clusters agree, edited bindings are found, moving along changes nothing."""

from __future__ import annotations

from random import Random

import msgspec
import pytest

from scheduler_core.api import objects as k8s
from scheduler_core.api.labels import NodeSelector, NodeSelectorTerm, Requirement
from scheduler_core.engine.trials.rescheduling import rescheduling
from scheduler_core.explain.agreement import agreement, session
from scheduler_core.simulate import RunInputs
from scheduler_core.testing.builders import make_node, make_pod
from tests.scheduler_core.explain.agreement.bound_by_us import dump, moved, with_objects
from tests.seeds import long_after


def standings(figures):
    return {one.pod: one.standing for one in figures.bound}


@pytest.mark.slow
@pytest.mark.parametrize("seed", long_after(range(50), 10))
def test_clusters_that_the_engine_bound_agree_in_the_order_of_its_decisions(seed):
    inputs = dump(seed)
    for order in ("given", "created"):
        figures = agreement(inputs, order=order)
        assert figures.n_compared >= 6
        assert figures.differences == ()
        assert figures.n_agree == figures.n_compared == len(figures.bound)


@pytest.mark.slow
@pytest.mark.parametrize("seed", long_after(range(100, 120), 5))
def test_every_edited_binding_is_found(seed):
    inputs, draw = dump(seed), Random(seed)
    figures, names = agreement(inputs, order="given"), [node.name for node in inputs.objects.nodes]
    one = draw.choice([one for one in figures.bound if one.n_best < len(names)])
    assert one.n_best <= 8, "all of the best are named"
    elsewhere = draw.choice([name for name in names if name not in one.best])
    again = {pod.pod: pod for pod in agreement(moved(inputs, one.pod, elsewhere), order="given").bound}
    assert again[one.pod].differs
    assert again[one.pod].node == elsewhere
    assert again[one.pod].best == one.best
    before = [pod.pod for pod in figures.bound]
    assert all(again[key].agrees for key in before[: before.index(one.pod)])


def outcome_of(trial):
    return {
        "tied": trial.tied,
        "feasible": set(trial.feasible),
        "refusals": {name: trial.refusals(name) for name in trial.row_of},
        "points": {name: trial.points(name) for name in trial.feasible},
    }


@pytest.mark.slow
@pytest.mark.parametrize("seed", long_after(range(200, 206), 2))
def test_a_state_that_is_moved_along_decides_as_one_made_from_scratch(seed):
    inputs = dump(seed, n_pods=20)
    trials = session(inputs)
    bound = [pod for pod in inputs.objects.pods if pod.node_name]
    with rescheduling(trials) as anew:
        for pod in bound:
            anew.take_off(pod.key)
            moved_along = outcome_of(anew.attempt(pod.key))
            anew.put_back(pod.key)
            waiting = msgspec.structs.replace(pod, node_name="")
            pods = [waiting if one.key == pod.key else one for one in inputs.objects.pods]
            fresh = session(with_objects(inputs, pods=pods))
            assert moved_along == outcome_of(fresh.attempt(pod.key))


def of(*pods, nodes=None):
    """What is found on two equal nodes, a and b, or on those given."""
    nodes = nodes or [make_node(name, cpu="4", memory="8Gi", pods=10) for name in ("a", "b")]
    return agreement(RunInputs(objects=k8s.ClusterObjects(nodes=list(nodes), pods=list(pods))))


def on(node, name, cpu="1", **fields):
    return make_pod(name, cpu=cpu, memory="1Gi", node_name=node, phase="Running", **fields)


def test_a_tie_a_single_fit_and_a_lead_agree():
    figures = of(on("a", "first"))
    assert standings(figures) == {"default/first": "tied"}
    assert (figures.bound[0].n_best, figures.bound[0].best) == (2, ("a", "b"))
    figures = of(on("a", "large", cpu="3"), on("b", "small"))
    assert standings(figures) == {"default/large": "same", "default/small": "same"}
    assert figures.bound[0].lead > 0
    only = of(on("b", "picky", node_selector={"kubernetes.io/hostname": "b"}))
    assert standings(only) == {"default/picky": "only_one"}


def test_a_lower_rank_is_told_with_the_gap_by_plugin():
    figures = of(on("a", "first", cpu="2"), on("a", "second"), on("b", "third", cpu="100m"))
    second = figures.bound[1]
    assert (second.standing, second.rank, second.n_fitting, second.best) == ("lower", 2, 2, ("b",))
    assert second.gap == sum(row.ours - row.real for row in second.points) > 0
    assert {row.plugin for row in second.points} >= {"NodeResourcesFit", "NodeResourcesBalancedAllocation"}


def test_pods_that_came_later_are_tried_as_the_cause():
    old, new = on("a", "old", creation_timestamp=10.0), on("a", "new", cpu="2", creation_timestamp=20.0)
    figures = of(old, new)
    assert standings(figures) == {"default/old": "lower", "default/new": "lower"}
    cause = figures.bound[0].causes[0]
    assert (cause.kind, cause.tried, cause.younger) == ("arrivals", True, 1)
    assert [cause.kind for cause in figures.bound[1].causes] == ["unknown"]


@pytest.mark.parametrize(
    ("node", "pod", "plugin", "cause"),
    [
        ({"unschedulable": True}, {}, "NodeUnschedulable", "cordon"),
        ({"taints": ["late=yes:NoSchedule"]}, {}, "TaintToleration", "taints"),
        ({}, {"node_selector": {"disk": "ssd"}}, "NodeAffinity", "labels"),
        ({"cpu": "500m"}, {}, "NodeResourcesFit", "room"),
    ],
    ids=["a cordon", "a taint", "a label that is gone", "room that is gone"],
)
def test_a_node_that_refuses_now_is_told_with_the_plugin_and_what_may_have_changed(node, pod, plugin, cause):
    figures = of(on("a", "web", **pod), nodes=[make_node("a", **{"cpu": "4", **node}), make_node("b", cpu="4")])
    one = figures.bound[0]
    assert (one.standing, one.refusals[0].plugin, one.causes[0].kind) == ("refused", plugin, cause)


def test_above_100_nodes_sampling_is_a_cause_of_a_lower_rank():
    nodes = [make_node(f"n{i:03d}", cpu="4", memory="8Gi") for i in range(150)]
    figures = of(on("n000", "first", cpu="2"), on("n000", "second"), nodes=nodes)
    sampling = next(cause for cause in figures.bound[1].causes if cause.kind == "sampling")
    assert (sampling.scored, sampling.fitting) == (100, 150)
    assert figures.scored == 100


def test_what_no_scheduler_of_ours_placed_is_not_compared():
    mirror = on("a", "static", owner_references=(k8s.OwnerReference("Node", "a", controller=True),))
    figures = of(mirror, on("a", "custom", scheduler_name="volcano"), on("gone", "lost"))
    assert standings(figures) == {
        "default/static": "static",
        "default/custom": "other_scheduler",
        "default/lost": "no_node",
    }
    assert (figures.n_compared, figures.differences) == (0, ())


def test_a_pod_of_a_daemon_set_is_decided_by_its_node_affinity():
    affinity = k8s.Affinity(node_required=by_name("b"))
    figures = of(on("b", "agent", affinity=affinity, owner_references=(k8s.OwnerReference("DaemonSet", "agent"),)))
    assert standings(figures) == {"default/agent": "only_one"}


def by_name(name):
    field = Requirement("metadata.name", "In", (name,))
    return NodeSelector((NodeSelectorTerm(match_fields=(field,)),))

"""Would it fit: the answer is what a run's first cycle finds, whatever the session was asked before."""

from __future__ import annotations

import os
from collections import Counter
from random import Random

import msgspec
import pytest

from scheduler_core.api.objects import ClusterObjects, Container, ContainerPort, Node
from scheduler_core.api.taints import Taint
from scheduler_core.explain.fit import Fit, FitSession, would_fit
from scheduler_core.explain.fit.session import MOST_FOLLOWED
from scheduler_core.simulate import RunInputs
from scheduler_core.testing.builders import make_node, make_pod
from tests.scheduler_core.explain.fit.pairs import LEFT_OUT, Refusal, first_cycle, pair

N_PAIRS = int(os.environ.get("TEST_FIT_PAIRS", "40"))


def _verdicts(fit: Fit) -> dict[str, Refusal | None]:
    left_out = {step.plugin for step in fit.sieve if step.by_pre_filter}
    refusal_of: dict[str, Refusal | None] = {}
    for one in fit.each():
        refusal = one.refusal
        by_pre_filter = refusal is not None and refusal.plugin in left_out and _says_left_out(fit, refusal.reasons)
        refusal_of[one.node] = (
            LEFT_OUT if by_pre_filter else None if refusal is None else (refusal.plugin, refusal.reasons)
        )
    return refusal_of


def _says_left_out(fit: Fit, reasons: tuple[str, ...]) -> bool:
    """Whether these are PreFilter's words: it refused the whole pod, or named the plugins that left nodes out."""
    return fit.sieve[0].left == 0 or reasons[0].startswith("node(s) didn't satisfy plugin(s)")


def _compare(seed: int) -> Counter[str]:
    """Raises AssertionError where the answer is not the run's; what was met."""
    inputs, tried = pair(seed)
    key, run = first_cycle(inputs)
    assert key == tried.key, "the run tries this pod first"
    fit = FitSession(inputs).would_fit(tried)
    assert fit.error == ""
    assert _verdicts(fit) == run.verdicts
    assert {one.node: one.total for one in fit.each() if one.total is not None} == run.totals
    assert {(node, plugin): n for node in run.totals for plugin, n in fit.points(node).items()} == run.points
    if run.failure:
        assert run.failure.startswith(fit.failure)
        assert fit.failure
    n_left = fit.n_nodes
    for step in fit.sieve:
        n_left -= step.took
        assert n_left == step.left
    assert n_left == fit.n_fits
    assert sum(group.nodes for group in fit.groups) == fit.n_nodes - fit.n_fits
    met = Counter({"scored": bool(run.totals), "nothing fits": not fit.n_fits, "one fits": fit.n_fits == 1})
    met["promised"] = any(group.promised for group in fit.groups)
    met["left out"] = LEFT_OUT in run.verdicts.values()
    return met


@pytest.mark.slow
def test_the_answer_is_what_a_run_finds_in_its_first_cycle() -> None:
    met: Counter[str] = Counter()
    for seed in range(N_PAIRS):
        met += _compare(seed)
    assert min(met[what] for what in ("scored", "nothing fits", "one fits", "promised", "left out")) > 0, met


def test_an_answer_does_not_change_the_next() -> None:
    for seed in range(4):
        inputs, tried = pair(seed)
        session = FitSession(inputs)
        first = _lasting(session.would_fit(tried))
        for one in inputs.objects.pods[:12]:
            session.would_fit(msgspec.structs.replace(one, priority=7, node_selector={"no": "such"}))
            session.would_fit(one)
        assert _lasting(session.would_fit(tried)) == first
        assert _lasting(FitSession(inputs).would_fit(tried)) == first


def _lasting(fit: Fit) -> Fit:
    """The answer in an order that does not depend on rows, without how long it took."""
    rows = sorted(range(fit.n_nodes), key=lambda row: fit.nodes[row])
    fitting = [row for row in range(fit.n_nodes) if fit.group_of[row] == -1]
    place = {row: i for i, row in enumerate(fitting)}
    scores = tuple(
        msgspec.structs.replace(one, points=tuple(one.points[place[row]] for row in rows if row in place))
        for one in fit.scores
    )
    return msgspec.structs.replace(
        fit,
        nodes=tuple(fit.nodes[row] for row in rows),
        group_of=tuple(fit.group_of[row] for row in rows),
        totals=tuple(fit.totals[row] for row in rows),
        best=tuple(sorted(fit.best)),
        scores=scores,
        seconds=0.0,
    )


@pytest.mark.slow
def test_a_session_that_follows_edits_answers_as_one_made_anew() -> None:
    n_followed = 0
    for seed in range(N_PAIRS // 4):
        inputs, tried = pair(seed)
        session, draw = FitSession(inputs), Random(seed)
        objects = inputs.objects
        for _ in range(6):
            objects = _edited(draw, objects, tried.key)
            if not session.follow(objects):
                session = FitSession(msgspec.structs.replace(inputs, objects=objects))
                continue
            n_followed += 1
            anew = FitSession(msgspec.structs.replace(inputs, objects=objects))
            assert _lasting(session.would_fit(tried)) == _lasting(anew.would_fit(tried))
    assert n_followed > N_PAIRS


def _edited(draw: Random, objects: ClusterObjects, tried: str) -> ClusterObjects:
    """One object added, changed or taken away: a node, a pod or another object."""
    field = draw.choice(("nodes", "nodes", "pods", "pods", *objects.__struct_fields__))
    held = list(getattr(objects, field))
    if not held:
        return objects
    i = draw.randrange(len(held))
    if field == "nodes" and draw.random() < 0.7:
        held[i] = _other_node(draw, held[i], i)
    elif field == "pods" and held[i].key == tried:
        return objects
    elif field == "pods" and draw.random() < 0.6:
        node = draw.choice(objects.nodes).name
        held[i] = msgspec.structs.replace(held[i], node_name="" if held[i].node_name else node)
    elif field != "nodes" or len(held) > 3:
        del held[i]
    return msgspec.structs.replace(objects, **{field: held})


def _other_node(draw: Random, node: Node, i: int) -> Node:
    what = draw.randrange(4)
    if what == 0:
        return msgspec.structs.replace(node, unschedulable=not node.unschedulable)
    if what == 1:
        return msgspec.structs.replace(node, taints=(Taint(key="edited", effect="NoSchedule"),))
    if what == 2:
        return msgspec.structs.replace(node, allocatable={**node.allocatable, "cpu": 64_000})
    return msgspec.structs.replace(node, name=f"{node.name}-renamed-{i}")


def test_a_bound_pod_is_asked_about_as_if_it_were_on_no_node() -> None:
    pod = make_pod("web", cpu="6", node_name="only")
    session = FitSession(RunInputs(objects=ClusterObjects(nodes=[make_node("only", cpu="8")], pods=[pod])))
    fit = session.would_fit(session.pod("default/web"))
    assert (fit.n_fits, fit.bound_to) == (1, "only")
    assert session.would_fit(make_pod("other", cpu="6")).n_fits == 0


def test_a_pod_of_another_scheduler_has_no_answer() -> None:
    objects = ClusterObjects(nodes=[make_node("only", cpu="8")])
    fit = would_fit(objects, msgspec.structs.replace(make_pod("web"), scheduler_name="batch"))
    assert "named batch" in fit.error
    assert (fit.n_nodes, fit.n_fits) == (0, 0)


def test_a_cluster_without_nodes_says_so() -> None:
    fit = would_fit(ClusterObjects(), make_pod("web"))
    assert (fit.n_nodes, fit.failure, fit.error) == (0, "no nodes available to schedule pods", "")


def test_gates_are_said_beside_the_verdicts() -> None:
    objects = ClusterObjects(nodes=[make_node("only", cpu="8")])
    fit = would_fit(objects, msgspec.structs.replace(make_pod("web"), scheduling_gates=("quota",)))
    assert fit.n_fits == 1
    assert "quota" in fit.gated


@pytest.mark.parametrize(("n_nodes", "samples"), [(100, None), (101, 100), (300, 144)])
def test_a_scheduler_that_looks_at_every_node_does_not_sample(n_nodes: int, samples: int | None) -> None:
    nodes = [make_node(f"n-{i}", cpu="8") for i in range(n_nodes)]
    assert would_fit(ClusterObjects(nodes=nodes), make_pod("web")).samples == samples


def test_a_port_stays_taken_when_one_of_two_pods_that_hold_it_is_followed_away() -> None:
    port = Container(name="main", ports=(ContainerPort(container_port=80, host_port=80),))
    first, second, tried = (
        make_pod(name, containers=(port,), node_name=node) for name, node in (("a", "only"), ("b", "only"), ("c", ""))
    )
    objects = ClusterObjects(nodes=[make_node("only")], pods=[first, second])
    session = FitSession(RunInputs(objects=objects))
    fewer = msgspec.structs.replace(objects, pods=[second])
    assert session.follow(fewer)
    assert session.would_fit(tried).n_fits == would_fit(fewer, tried).n_fits == 0
    assert session.follow(msgspec.structs.replace(objects, pods=[]))
    assert session.would_fit(tried).n_fits == 1


def test_a_session_follows_so_many_changes_and_no_more() -> None:
    nodes = [make_node("only", cpu="8")]
    session = FitSession(RunInputs(objects=ClusterObjects(nodes=nodes)))
    most = [make_pod(f"p{i}") for i in range(MOST_FOLLOWED)]
    assert not session.follow(ClusterObjects(nodes=nodes, pods=[*most, make_pod("one-more")]))
    assert session.follow(ClusterObjects(nodes=nodes, pods=most))
    assert session.pod(f"default/p{MOST_FOLLOWED - 1}").name == f"p{MOST_FOLLOWED - 1}"

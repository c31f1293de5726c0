"""A log followed in its own order: what our own run would have logged is equal, whatever the order of the dump."""

from __future__ import annotations

from random import Random

import msgspec
import pytest

from scheduler_core.api import objects as k8s
from scheduler_core.explain.agreement import RealScores, log_agreement, score_agreement
from scheduler_core.explain.agreement.logs import LoggedAttempt, LogProblems, in_attempts, log_steps
from scheduler_core.recording import events as ev
from scheduler_core.simulate import Policies, RunInputs, RunSession
from scheduler_core.testing.builders import make_node, make_pod
from tests.scheduler_core.explain.agreement.bound_by_us import with_objects


def logged_run(n_nodes, n_pods, seed=1, **fields):
    """The dump that a run ends with, its objects shuffled, and what kube-scheduler would have logged meanwhile."""
    draw = Random(seed)
    taints = ((), ("soft:PreferNoSchedule",), ("soft:PreferNoSchedule", "hard:PreferNoSchedule"))
    shapes = [(draw.choice(("16", "32", "48")), draw.choice(taints)) for _ in range(n_nodes)]
    nodes = [make_node(f"n{i}", cpu=cpu, memory="64Gi", taints=tainted) for i, (cpu, tainted) in enumerate(shapes)]
    sizes = [(f"{draw.randrange(1, 9)}00m", f"{draw.randrange(1, 900)}Mi") for _ in range(n_pods)]
    pods = [make_pod(f"p{i}", cpu=cpu, memory=memory) for i, (cpu, memory) in enumerate(sizes)]
    session = RunSession.start(RunInputs(objects=k8s.ClusterObjects(nodes=nodes, pods=pods), **fields))
    simulation, lines, trying = session.simulation, [], []

    def note(_seq, event):
        if isinstance(event, ev.CycleStarted):
            trying[:] = [event.pod]
            lines.append(f'I1 "Attempting to schedule pod" pod="{event.pod}"')
        elif isinstance(event, ev.Bound):
            lines.append(f'I1 "Successfully bound pod to node" pod="{event.pod}" node="{event.node}"')

    def log_scores(frame):
        names = simulation.context.cluster.table.names
        for i, plugin in enumerate(frame.score_plugins):
            points = frame.normalized(i) * frame.weights[i]
            for row in frame.feasible():
                lines.append(f'I1 "Plugin scored node for pod" pod="{trying[0]}" plugin="{plugin}" node="{names[row]}" '
                             f"score={points[row]}")  # fmt: skip

    session.observe(note)
    simulation.evaluation.frame = log_scores
    while not session.advance():
        pass
    ended = list(simulation.world.pods.values())
    draw.shuffle(ended)
    draw.shuffle(nodes)
    return RunInputs(objects=k8s.ClusterObjects(nodes=nodes, pods=ended)), lines


def against_the_rest(inputs, lines):
    """The scores of each pod's last attempt, compared with the dump as it is."""
    real = RealScores()
    for one in in_attempts(log_steps(lines, LogProblems())):
        if isinstance(one, LoggedAttempt):
            real.of[one.pod] = one.scores
    return score_agreement(inputs, real)


@pytest.mark.parametrize(
    ("n_nodes", "n_pods"), [(6, 30), pytest.param(12, 500, marks=pytest.mark.long)], ids=("small", "large")
)
def test_the_log_of_our_own_run_agrees_where_its_dump_alone_does_not(n_nodes, n_pods):
    inputs, lines = logged_run(n_nodes, n_pods)
    assert sum(bool(pod.node_name) for pod in inputs.objects.pods) == n_pods
    figures = log_agreement(inputs, lambda: lines)
    assert len(figures.pods) == n_pods
    assert figures.n_equal == figures.n_scores == sum("scored" in line for line in lines)
    assert (figures.n_problems, figures.n_absent) == (0, 0)
    snapshot = against_the_rest(inputs, lines)
    assert snapshot.n_equal < snapshot.n_scores


@pytest.mark.slow
def test_a_search_that_ended_early_is_compared_on_the_nodes_that_it_found():
    inputs, lines = logged_run(130, 20, policies=Policies(node_search="configured"))
    figures = log_agreement(inputs, lambda: lines)
    assert len(figures.pods) == 20
    assert figures.n_equal == figures.n_scores


def test_a_log_of_scores_alone_is_followed_in_their_order():
    inputs, lines = logged_run(6, 30)
    figures = log_agreement(inputs, lambda: [line for line in lines if "scored" in line])
    assert figures.n_equal == figures.n_scores > 0


def test_a_node_that_came_later_is_not_there_before():
    inputs, lines = logged_run(6, 30)
    worst = [f"{key}:PreferNoSchedule" for key in "abc"]
    with_late = [make_node("late", taints=worst), *inputs.objects.nodes]
    inputs = with_objects(inputs, nodes=with_late)
    lines.append('I1 "Add event for node" node="late"')
    assert all(pod.agrees for pod in log_agreement(inputs, lambda: lines).pods)
    assert not all(pod.agrees for pod in log_agreement(inputs, lambda: lines[:-1]).pods)


def test_a_pod_that_went_in_between_takes_room_until_then_and_one_that_is_not_there_is_counted():
    inputs, lines = logged_run(6, 30)
    key, node = lines_of_first_bound(lines)
    others = [pod for pod in inputs.objects.pods if pod.key != key]
    (gone,) = (pod for pod in inputs.objects.pods if pod.key == key)
    figures = log_agreement(with_objects(inputs, pods=others), lambda: lines)
    assert figures.n_absent == 1
    assert figures.n_equal < figures.n_scores
    assert next(pod for pod in figures.pods if pod.pod == key).unknown
    # made again under its name, on another node, after everything else
    elsewhere = next(one.name for one in inputs.objects.nodes if one.name != node)
    again = msgspec.structs.replace(gone, node_name=elsewhere)
    more = [
        *lines,
        f'I1 "Delete event for scheduled pod" pod="{key}"',
        f'I1 "Attempting to schedule pod" pod="{key}"',
        f'I1 "Successfully bound pod to node" pod="{key}" node="{elsewhere}"',
    ]
    figures = log_agreement(with_objects(inputs, pods=[*others, again]), lambda: more)
    assert figures.n_equal == figures.n_scores


def lines_of_first_bound(lines):
    """(pod, node) that the log binds first."""
    (first,) = list(log_steps([next(line for line in lines if "bound" in line)], LogProblems()))
    return first.pod, first.node


def test_pods_that_an_informer_saw_come_are_there_from_then_on():
    inputs, lines = logged_run(6, 30)
    other = make_pod("static", cpu="1", node_name="n1", phase="Running")
    inputs = with_objects(inputs, pods=[other, *inputs.objects.pods])
    seen = [*lines, 'I1 "Add event for scheduled pod" pod="default/static"']
    assert all(pod.agrees for pod in log_agreement(inputs, lambda: seen).pods)
    assert not all(pod.agrees for pod in log_agreement(inputs, lambda: lines).pods)

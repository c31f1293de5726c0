"""What holds of earlier dry runs when budgets changed: the same as trying the node anew, by values worked out here."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from scheduler_core.api.objects import PodDisruptionBudget
from scheduler_core.framework.contracts.cycle_state import CycleState
from scheduler_core.framework.contracts.run_context import RunContext
from scheduler_core.framework.preemption.candidate_cache import CandidateCaches
from scheduler_core.framework.preemption.decision import pack, unpack
from scheduler_core.framework.preemption.evaluator import CandidateLimits, Evaluator
from scheduler_core.framework.runtime.filter_phase import FilterPhase
from scheduler_core.framework.runtime.framework import Framework, PluginPoints
from scheduler_core.framework.runtime.pre_filter_phase import run_pre_filter
from scheduler_core.plugins.node_resources.fit import NodeResourcesFit
from scheduler_core.plugins.node_resources.fit_args import NodeResourcesFitArgs
from scheduler_core.testing.builders import make_cluster, make_node, make_pod
from tests.scheduler_core.plugins.generated import app_is


def web(name, node):
    return make_pod(name, cpu="1", priority=0, labels={"app": "web"}, node_name=node)


@pytest.fixture
def scene():
    """Two guarded pods fill a; b holds one more. Of the budget's three pods two must stay."""
    budget = PodDisruptionBudget(name="web", selector=app_is("web"), min_available="2")
    nodes = [make_node("a", cpu="2"), make_node("b", cpu="1", pods=9)]
    placed = {"a": [web("a-0", "a"), web("a-1", "a")], "b": [web("b-0", "b")]}
    cluster = make_cluster(nodes, placed, [budget])
    framework = Framework("test", RunContext(cluster, seed=1))
    fit = NodeResourcesFit(NodeResourcesFitArgs(), framework)
    framework.install({fit.name: fit}, PluginPoints(filter=[fit], pre_filter=[fit]))
    evaluator = Evaluator(framework, CandidateLimits())

    log, nominated = [], {}

    def nominate(name, node):
        """Let a pod as important as the next one wait for its victims on the node."""
        pod = cluster.info(make_pod(name, cpu="1", priority=10))
        nominated.setdefault(node, []).append(pod)
        log.append(node)

    framework.run.nomination_log = log
    framework.run.nominated_pods = lambda node: nominated.get(node, [])
    framework.run.nominated_nodes = nominated.keys

    def violations(fast):
        """{node: budgets violated} for a pod that needs all of node a."""
        pod, cycle = cluster.info(make_pod("p", cpu="2", priority=10)), CycleState(1)
        outcome = FilterPhase(framework).run(cycle, pod, run_pre_filter(framework, cycle, pod))
        dry_run = evaluator.examine(cycle, pod, outcome, fast=fast)
        return {one.node: one.violations for one in unpack(pack(dry_run.encoded))}

    return SimpleNamespace(cluster=cluster, violations=violations, nominate=nominate)


@pytest.mark.parametrize("fast", [True, False], ids=["with the cache", "each node anew"])
def test_a_node_whose_budget_allows_more_than_before_is_tried_anew(scene, fast):
    assert scene.violations(fast) == {"a": 1}, "three pods, two must stay: one of the two victims may go"
    for i in (1, 2):
        scene.cluster.put_pod(scene.cluster.info(make_pod(f"b-{i}", cpu=None, labels={"app": "web"})), "b")
    assert scene.violations(fast) == {"a": 0}, "five pods now: both may go, though nothing changed on the node"
    for i in (1, 2):
        scene.cluster.drop_pod(f"default/b-{i}")
    assert scene.violations(fast) == {"a": 1}


@pytest.mark.parametrize("fast", [True, False], ids=["with the cache", "each node anew"])
def test_a_node_that_another_pod_was_nominated_to_is_tried_anew(scene, fast):
    assert scene.violations(fast) == {"a": 1}
    scene.nominate("waiting", "a")
    assert scene.violations(fast) == {}, "the pod that waits for the room there needs a half of it"


def test_answers_of_an_interrupted_search_are_dropped(scene):
    caches = CandidateCaches(scene.cluster)
    pod = scene.cluster.info(make_pod("p", cpu="2", priority=10))
    answers = caches.of(pod)
    assert caches.of(pod) is answers
    caches.forget(pod)
    assert caches.of(pod) is not answers


def test_answers_are_kept_of_the_sixty_four_classes_that_were_asked_for_last(scene):
    caches = CandidateCaches(scene.cluster)
    pods = [scene.cluster.info(make_pod("p", cpu=str(n))) for n in range(1, 66)]
    first, second = caches.of(pods[0]), caches.of(pods[1])
    for pod in pods[2:64]:
        caches.of(pod)
    assert caches.of(pods[0]) is first
    caches.of(pods[64])
    assert caches.of(pods[0]) is first
    assert caches.of(pods[1]) is not second


def test_a_change_of_nodes_ends_what_is_known_of_every_class(scene):
    caches = CandidateCaches(scene.cluster)
    pod = scene.cluster.info(make_pod("p", cpu="1"))
    memory = caches.of(pod)
    assert caches.of(pod) is memory
    scene.cluster.put_node(make_node("c"))
    assert caches.of(pod) is not memory

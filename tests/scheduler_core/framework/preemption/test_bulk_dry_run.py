"""On generated clusters, preemption by columns and from kept answers == the dry run of each node, with budgets, taints
and nominated pods."""

from __future__ import annotations

from random import Random

import msgspec
import pytest

from scheduler_core.api.objects import Affinity, PodAffinityTerm, PodDisruptionBudget
from scheduler_core.framework.contracts.cycle_state import CycleState
from scheduler_core.framework.contracts.plugin import NoArgs
from scheduler_core.framework.contracts.run_context import RunContext
from scheduler_core.framework.preemption import bulk_dry_run as bulk_dry_run
from scheduler_core.framework.preemption import candidate_cache as candidate_cache
from scheduler_core.framework.preemption.decision import criteria_values, pack, unpack
from scheduler_core.framework.preemption.evaluator import CandidateLimits, Evaluator
from scheduler_core.framework.runtime.filter_phase import FilterPhase
from scheduler_core.framework.runtime.framework import Framework, PluginPoints
from scheduler_core.framework.runtime.pre_filter_phase import run_pre_filter
from scheduler_core.plugins.inter_pod_affinity import InterPodAffinity
from scheduler_core.plugins.inter_pod_affinity.common import InterPodAffinityArgs
from scheduler_core.plugins.node_ports import NodePorts
from scheduler_core.plugins.node_resources.fit import NodeResourcesFit
from scheduler_core.plugins.node_resources.fit_args import NodeResourcesFitArgs
from scheduler_core.plugins.taint_toleration import TaintToleration
from scheduler_core.testing.builders import make_cluster, make_node, make_pod
from tests.scheduler_core.plugins.generated import app_is
from tests.seeds import each_seed

APPS = ("web", "db", "job")


def framework_for(cluster, *, with_affinity):
    framework = Framework("test", RunContext(cluster, seed=5))
    filters = [TaintToleration(NoArgs(), framework), NodePorts(NoArgs(), framework)]
    filters.append(NodeResourcesFit(NodeResourcesFitArgs(), framework))
    if with_affinity:
        filters.append(InterPodAffinity(InterPodAffinityArgs(), framework))
    pre_filters = [f for f in filters if hasattr(f, "pre_filter")]
    framework.install({f.name: f for f in filters}, PluginPoints(filter=filters, pre_filter=pre_filters))
    return framework


def full_cluster(random, n_nodes=14):
    """Nodes that are nearly full of pods of four priorities and three apps, some guarded by budgets."""
    nodes = [
        make_node(
            f"n{i:02}",
            cpu="4",
            memory="4Gi",
            pods=random.choice((3, 5, 110)),
            taints=["dedicated:NoSchedule"] if random.random() < 0.1 else [],
            extended={"example.com/gpu": "2"} if random.random() < 0.7 else {},
        )
        for i in range(n_nodes)
    ]
    budgets = [
        PodDisruptionBudget(
            name=app,
            selector=app_is(app),
            disruptions_allowed=random.choice((0, 1, 2)),
            disrupted_pods=("p-3", "p-7"),
        )
        for app in random.sample(APPS, random.choice((0, 1, 2)))
    ]
    if random.random() < 0.3:
        budgets.append(PodDisruptionBudget(name="computed", selector=app_is("job"), min_available="50%"))
    cluster = make_cluster(nodes, objects=budgets)
    for i in range(n_nodes * 7):
        row = random.choice(cluster.table.order.tolist())
        info = cluster.info(placed_pod(random, f"p-{i}"))
        free = cluster.table.allocatable[:, row] - cluster.table.requested[:, row]
        requests = [info.cls.requests.get(name, 0) for name in cluster.table.resource_index]
        if all(w <= f for w, f in zip(requests, free.tolist(), strict=False)) and has_place(cluster.view(row)):
            cluster.put_pod(info, cluster.name_of(row))
    return cluster


def has_place(view):
    return view.pod_count < min(view.allowed_pods, 7)


def placed_pod(random, name):
    pod = make_pod(
        name,
        cpu=random.choice(("300m", "500m", "1")),
        memory=random.choice((None, "200Mi", "1Gi")),
        extended={"example.com/gpu": "1"} if random.random() < 0.2 else {},
        labels={"app": random.choice(APPS)} if random.random() < 0.9 else {},
        priority=random.choice((0, 5, 5, 10, 100)),
        start_time=random.choice((None, 100.0, 100.0, 200.0, 300.0)),
    )
    return msgspec.structs.replace(pod, node_name="somewhere")


def preemptor(random):
    return make_pod(
        "preemptor",
        cpu=random.choice(("10m", "1", "2500m", "3900m", "5")),
        memory=random.choice((None, "1Gi", "3500Mi")),
        extended={"example.com/gpu": random.choice("12")} if random.random() < 0.3 else {},
        labels={"app": random.choice(APPS)},
        priority=random.choice((0, 7, 50, 1000)),
    )


def nominate(random, framework):
    """A few pending pods of various priorities, nominated."""
    cluster = framework.cluster
    by_node = {}
    for i in range(random.choice((0, 0, 3))):
        pod = make_pod(f"nominated-{i}", cpu=random.choice((None, "1")), priority=random.choice((0, 50, 2000)))
        by_node.setdefault(cluster.name_of(random.choice(cluster.table.order.tolist())), []).append(cluster.info(pod))
    framework.run.nominated_pods = lambda name: by_node.get(name, [])
    framework.run.nominated_nodes = lambda: by_node.keys()


def comparable(dry_run):
    refusals = {status: sorted(rows.tolist()) for status, rows in dry_run.refusals.items()}
    sets = [*unpack(pack(dry_run.encoded))]
    assert dry_run.values.T.tolist() == [criteria_values(one) for one in sets]
    return dry_run.rows.tolist(), sets, refusals, dry_run.potential, dry_run.offset


@pytest.mark.parametrize("few_rows", [0, 100], ids=["by columns", "row by row"])
@pytest.mark.parametrize("with_affinity", [False, True], ids=["resources only", "with existing anti-affinity"])
@each_seed(range(60), together=10, short=2)
def test_kept_answers_and_dry_runs_agree(seed, with_affinity, few_rows, monkeypatch):
    monkeypatch.setattr(bulk_dry_run, "FEW_ROWS", few_rows)
    random = Random(seed)
    monkeypatch.setattr(candidate_cache, "LEAST_SLAB", random.choice((1, 3, 100)))
    cluster = full_cluster(random)
    if with_affinity:
        add_hostile_pods(random, cluster)
    framework = framework_for(cluster, with_affinity=with_affinity)
    framework.run.preemption_candidates_all = random.random() < 0.3
    evaluator = Evaluator(framework, CandidateLimits(10, random.choice((1, 2, 5, 100))))
    preemptors = [preemptor(random) for _ in range(2)]
    for i in range(8):
        framework.run.cycle = i
        if i % 3 == 0:
            nominate(random, framework)
        pod, cycle = cluster.info(preemptors[i % 2]), CycleState(i)
        outcome = FilterPhase(framework).run(cycle, pod, run_pre_filter(framework, cycle, pod))
        fast = evaluator.examine(cycle, pod, outcome)
        slow = evaluator.examine(cycle, pod, outcome, fast=False)
        assert comparable(fast) == comparable(slow)
        evict_the_first(cluster, fast)
        place_another(random, cluster, f"later-{i}")


def place_another(random, cluster, name):
    """One more pod somewhere, so that rows change for the worse, and budgets that are computed allow more."""
    row = random.choice(cluster.table.order.tolist())
    cluster.put_pod(cluster.info(placed_pod(random, name)), cluster.name_of(row))


def add_hostile_pods(random, cluster):
    """Pods of low priority whose anti-affinity keeps web pods off their node."""
    term = PodAffinityTerm(topology_key="kubernetes.io/hostname", label_selector=app_is("web"))
    for i, row in enumerate(random.sample(cluster.table.order.tolist(), 5)):
        affinity = Affinity(anti_required=(term,))
        pod = make_pod(f"hostile-{i}", cpu="10m", priority=random.choice((0, 100)), affinity=affinity)
        cluster.put_pod(cluster.info(pod), cluster.name_of(row))


def evict_the_first(cluster, dry_run):
    """Carry the first candidate out, so that the next attempt meets rows that changed."""
    for victim in unpack(pack(dry_run.encoded))[0].victims if len(dry_run.rows) else ():
        cluster.drop_pod(victim)


@pytest.mark.slow
def test_the_generator_meets_every_kind_of_outcome():
    """Guards the test above against clusters on which preemption never or always helps."""
    kinds = set()
    for seed in range(60):
        random = Random(seed)
        cluster = full_cluster(random)
        framework = framework_for(cluster, with_affinity=False)
        pod, cycle = cluster.info(preemptor(random)), CycleState(0)
        outcome = FilterPhase(framework).run(cycle, pod, run_pre_filter(framework, cycle, pod))
        dry_run = Evaluator(framework, CandidateLimits()).examine(cycle, pod, outcome)
        sets = [*unpack(pack(dry_run.encoded))]
        kinds |= {"candidate"} if sets else set()
        kinds |= {"violating"} if any(one.violations for one in sets) else set()
        kinds |= {"reprieved"} if any(one.reprieved for one in sets) else set()
        kinds |= {status.reasons[0] for status in dry_run.refusals}
    assert {"candidate", "violating", "reprieved", "No preemption victims found for incoming pod"} <= kinds
    assert {"Insufficient cpu", "Insufficient memory"} <= kinds

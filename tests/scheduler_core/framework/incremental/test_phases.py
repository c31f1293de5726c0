"""What is kept from cycle to cycle equals what asking every plugin about every node would give: always."""

from __future__ import annotations

import itertools
from collections import Counter
from contextlib import nullcontext
from random import Random
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np
import pytest

from scheduler_core.api.labels import LabelSelector, NodeSelectorTerm, Requirement
from scheduler_core.api.objects import (
    Affinity,
    ClusterObjects,
    Container,
    ContainerImage,
    ContainerPort,
    Node,
    Pod,
    PodAffinityTerm,
    PreferredSchedulingTerm,
    TopologySpreadConstraint,
    WeightedPodAffinityTerm,
)
from scheduler_core.api.taints import Taint, Toleration
from scheduler_core.compiled import without_kernel
from scheduler_core.framework.contracts.cycle_state import CycleState
from scheduler_core.framework.runtime.phases import PlainPhases
from scheduler_core.plugins.inter_pod_affinity import InterPodAffinity
from scheduler_core.plugins.inter_pod_affinity import filtering as affinity
from scheduler_core.plugins.pod_topology_spread import PodTopologySpread
from scheduler_core.plugins.pod_topology_spread import filtering as spread
from scheduler_core.simulate import Policies, RunInputs, RunSession, Timeline, TimelineEntry
from tests.seeds import long_after

if TYPE_CHECKING:
    from scheduler_core.engine.attempt import SchedulingAttempt
    from scheduler_core.framework.runtime.score_phase import ScoreOutcome

ZONE, HOSTNAME = "topology.kubernetes.io/zone", "kubernetes.io/hostname"
SECOND = 1_000_000
N_NODES = 24


def node(random: Random, number: int) -> Node:
    taints = (Taint("dedicated", "gpu", random.choice(["NoSchedule", "PreferNoSchedule"])),)
    size = {"cpu": random.choice([1000, 2000, 4000]), "memory": 4 << 30, "pods": random.choice([4, 20])}
    labels = {HOSTNAME: f"node-{number}", ZONE: f"zone-{number % 3}", "disk": random.choice(["ssd", "hdd"])}
    if random.random() < 0.1:
        del labels[ZONE]
    return Node(
        name=f"node-{number}", labels=labels, allocatable=size, capacity=size,
        taints=taints if random.random() < 0.3 else (), unschedulable=random.random() < 0.05,
        images=(ContainerImage(("web:1",), 400 << 20),) if random.random() < 0.5 else (),
    )  # fmt: skip


def template(number: int) -> Pod:
    """One of fifteen kinds of pods, which between them use every default filter and score but those for volumes."""
    app = {"app": f"app-{number % 4}"}
    selector = LabelSelector((Requirement("app", "In", (app["app"],)),))
    term = PodAffinityTerm(topology_key=(ZONE, HOSTNAME)[number % 2], label_selector=selector)
    spread = TopologySpreadConstraint(
        topology_key=(ZONE, HOSTNAME)[number // 2 % 2], max_skew=1 + number % 2, label_selector=selector,
        when_unsatisfiable=("DoNotSchedule", "ScheduleAnyway")[number % 2],
    )  # fmt: skip
    other = msgspec.structs.replace(spread, topology_key=(HOSTNAME, ZONE)[number // 2 % 2], max_skew=3)
    minimal = msgspec.structs.replace(other, min_domains=2 + number % 3, node_taints_policy="Honor")
    spreads = {12: (spread, minimal), 13: (spread, other), 14: (minimal, spread)}
    ssd = PreferredSchedulingTerm(5, NodeSelectorTerm((Requirement("disk", "In", ("ssd",)),)))
    affinity = {
        0: None, 1: Affinity(anti_required=(term,)), 2: Affinity(pod_required=(term,)),
        3: Affinity(pod_preferred=(WeightedPodAffinityTerm(7, term),)), 4: Affinity(node_preferred=(ssd,)),
        5: Affinity(anti_preferred=(WeightedPodAffinityTerm(9, term),)),
    }[number % 6]  # fmt: skip
    ports = (ContainerPort(8080, host_port=8080),) if number == 10 else ()
    return Pod(
        name="", labels=app, affinity=affinity, priority=10 * (number % 3),
        topology_spread_constraints=spreads.get(number, (spread,) if number in (0, 3, 6, 7, 9) else ()),
        tolerations=(Toleration("dedicated", "Exists"),) if number % 3 == 0 else (),
        containers=(Container("c", image="web:1", ports=ports, requests={"cpu": 100 + 50 * number} if number else {}),),
        termination_grace_period_seconds=number,
    )  # fmt: skip


def generated(seed: int, **policies: str) -> RunInputs:
    """A crowded cluster in which pods and nodes keep coming, changing and going."""
    random = Random(seed)
    kinds = [template(i) for i in range(15)]

    def pod(name: str, node_name: str = "") -> Pod:
        return msgspec.structs.replace(random.choice(kinds), name=name, node_name=node_name)

    entries = []
    for i in range(220):
        at, kind = random.randrange(20 * SECOND), random.random()
        if kind < 0.7:
            entries.append(TimelineEntry(at, "put", pod(f"pod-{i}")))
        elif kind < 0.9:
            entries.append(TimelineEntry(at, "delete", pod(f"pod-{random.randrange(i + 1)}")))
        else:
            action = "put" if kind < 0.96 else "delete"
            entries.append(TimelineEntry(at, action, node(random, random.randrange(N_NODES + 3))))
    return RunInputs(
        objects=ClusterObjects(
            nodes=[node(random, i) for i in range(N_NODES)],
            pods=[pod(f"old-{i}", f"node-{random.randrange(N_NODES)}") for i in range(20)]
            + [pod(f"first-{i}") for i in range(40)],
        ),
        schedule="timeline",
        timeline=Timeline.of(entries),
        policies=Policies(**policies),  # type: ignore[arg-type]
        seed=seed,
        max_cycles=400,
        max_virtual_us=120 * SECOND,
    )


def steady(seed: int) -> RunInputs:
    """Nodes in three zones that stay as they are, to which pods come and from which they go."""
    random = Random(seed)
    kinds = [template(i) for i in (0, 2, 3, 6, 7, 9, 12, 13, 14)]

    def pod(name: str) -> Pod:
        return msgspec.structs.replace(random.choice(kinds), name=name, priority=0)

    def spacious(number: int) -> Node:
        labels = {HOSTNAME: f"node-{number:02}", ZONE: f"zone-{number % 3}", "disk": random.choice(["ssd", "hdd"])}
        size = {"cpu": 16_000, "memory": 4 << 30, "pods": 110}
        taints = (Taint("dedicated", "gpu", "NoSchedule"),) if seed % 2 and number % 8 == 7 else ()
        return Node(name=f"node-{number:02}", labels=labels, allocatable=size, capacity=size, taints=taints)

    entries = []
    for i in range(150):
        name, at = f"pod-{i}", random.randrange(20 * SECOND)
        entries.append(TimelineEntry(at, "put", pod(name)))
        if random.random() < 0.3:
            entries.append(TimelineEntry(at + random.randrange(5 * SECOND), "delete", pod(name)))
    return RunInputs(
        objects=ClusterObjects(nodes=[spacious(i) for i in range(N_NODES)]),
        schedule="timeline",
        timeline=Timeline.of(entries),
        seed=seed,
        max_cycles=400,
        max_virtual_us=120 * SECOND,
    )


def assert_as_made_anew(attempt: SchedulingAttempt) -> None:
    """The attempt's outcome is what a fresh evaluation gives, before the pod is counted on its node."""
    framework, outcome = attempt.framework, attempt.outcome
    if outcome is None or outcome.changes is None or attempt.pre_filter is None:
        return
    cycle, plain = CycleState(attempt.cycle.number), PlainPhases()
    pre_filter = plain.pre_filter(framework, cycle, attempt.info)
    fresh = plain.filter(framework, cycle, attempt.info, pre_filter, 0)
    n = framework.cluster.table.n_rows
    assert outcome.plugins == fresh.plugins
    assert np.array_equal(outcome.codes, fresh.codes[:, :n])
    texts = framework.run.reasons.entries
    assert [[texts[i] for i in line] for line in outcome.reasons.tolist()] == [
        [texts[i] for i in line] for line in fresh.reasons[:, :n].tolist()
    ]
    assert np.array_equal(outcome.decisive, fresh.decisive[:n])
    assert outcome.feasible.tolist() == fresh.feasible.tolist()
    assert outcome.refusals() == fresh.refusals()
    if attempt.scores is not None:
        assert_same_scores(attempt, plain.score(framework, cycle, attempt.info, fresh))


def assert_same_scores(attempt: SchedulingAttempt, fresh: ScoreOutcome) -> None:
    cached_scores, rows = attempt.scores, attempt.outcome.feasible  # type: ignore[union-attr]
    assert cached_scores is not None
    assert cached_scores.pre_score == fresh.pre_score
    assert cached_scores.totals[rows].tolist() == fresh.totals[rows].tolist()
    assert (np.delete(cached_scores.totals, rows) < 0).all()
    for one, other in zip(cached_scores.plugins, fresh.plugins, strict=True):
        assert one.raw[rows].tolist() == other.raw[rows].tolist()
        assert one.norm[rows].tolist() == other.norm[rows].tolist()
        assert (one.plugin, one.weight, one.lowest, one.highest, one.mean, one.normalization) == (
            other.plugin, other.weight, other.lowest, other.highest, other.mean, other.normalization,
        )  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("seed", long_after(range(4), 1))
@pytest.mark.parametrize("victims", ["grace", "at_once"])
@pytest.mark.usefixtures("kernel_is_there")
def test_every_cycle_is_as_if_made_anew(seed: int, victims: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert_made_anew_all_along(generated(seed, victims=victims), monkeypatch)


@pytest.mark.slow
@pytest.mark.parametrize("seed", long_after(range(4), 1))
@pytest.mark.usefixtures("kernel_is_there")
def test_so_is_every_cycle_while_nodes_stay_as_they_are(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    assert_made_anew_all_along(steady(seed), monkeypatch)


def assert_made_anew_all_along(inputs: RunInputs, monkeypatch: pytest.MonkeyPatch) -> None:
    simulation = RunSession.start(inputs).simulation
    scheduler = simulation.scheduler
    assume, failed, checked = scheduler._assume, scheduler._failed, []

    def check(attempt: SchedulingAttempt) -> None:
        checked.append(attempt.outcome is not None and attempt.outcome.changes is not None)
        assert_as_made_anew(attempt)

    monkeypatch.setattr(scheduler, "_assume", lambda attempt, queued: (check(attempt), assume(attempt, queued)))
    monkeypatch.setattr(scheduler, "_failed", lambda attempt, queued: (check(attempt), failed(attempt, queued)))
    while simulation.step():
        pass
    assert sum(checked) > 60


@pytest.mark.slow
@pytest.mark.usefixtures("kernel_is_there")
def test_the_generated_runs_meet_all_that_looks_across_nodes(monkeypatch: pytest.MonkeyPatch) -> None:
    answers: Counter[tuple[str, str, str]] = Counter()

    def watch(plugin: type[Any], method: str) -> None:
        original = getattr(plugin, method)

        def watched(*args: Any) -> Any:
            rows, answer = original(*args)
            some = np.concatenate(rows) if isinstance(rows, tuple) else rows
            whole = some is None or len(some) == args[0].handle.cluster.n_nodes
            answers[plugin.name, method, "all" if whole else "some" if len(some) else "none"] += 1
            return rows, answer

        monkeypatch.setattr(plugin, method, watched)

    methods = [(p, m) for p in (PodTopologySpread, InterPodAffinity) for m in ("filter_delta", "score_delta")]
    for plugin, method in methods:
        watch(plugin, method)
    texts, terminating = set(), False
    for seed in range(4):
        session = RunSession.start(generated(seed))
        session.advance()
        framework = next(iter(session.simulation.scheduler.frameworks.values()))
        texts |= {text for entry in framework.run.reasons.entries for text in entry}
        terminating |= any(cls.terminating for cls in framework.cluster.classes.all)
    assert terminating
    assert texts >= {
        spread.REASON_CONSTRAINTS, spread.REASON_LABEL, affinity.REASON_AFFINITY, affinity.REASON_ANTI_AFFINITY,
        affinity.REASON_EXISTING,
    }  # fmt: skip
    assert [
        (plugin.name, method, how, answers[plugin.name, method, how])
        for plugin, method in methods
        for how in ("all", "some")
        if answers[plugin.name, method, how] < 5
    ] == []


@pytest.mark.slow
@pytest.mark.kernel_and_numpy
@pytest.mark.parametrize("node_search", long_after(["configured", "all"], 1))
@pytest.mark.parametrize("seed", long_after(range(4), 1))
def test_a_run_that_keeps_nothing_leaves_the_same_recording(seed: int, node_search: str) -> None:
    hashes = set()
    for cached, by in itertools.product((True, False), (nullcontext, without_kernel)):
        with by():
            session = RunSession.start(generated(seed, node_search=node_search), cached=cached)
            session.advance()
        assert session.cycle > 60
        hashes.add(session.recording_hash())
    assert len(hashes) == 1

"""How long a preemption decision takes on full nodes guarded by budgets (python -m tests.bench.preemption).

Every node is full of 5 to 40 pods of four low priorities; 20 disruption budgets of five kinds guard 30 % of them. The
preemptors are of six templates in turn. A decision is the whole PostFilter and the encoding, hashing and compression of
its event, which the recorder does in batches and which are done here once more on their own. Before a figure is
printed, the decisions of sampled cycles are compared with those of the plain definition (the dry run of each node on
its own), and the recording hash of the first cycles with that of the engine that keeps nothing.
"""

from __future__ import annotations

import argparse
import gc
import json
import statistics
import sys
import time
from hashlib import sha256
from random import Random
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np
import zstandard

from scheduler_core.api.labels import LabelSelector, Requirement
from scheduler_core.api.objects import ClusterObjects, Namespace, Node, Pod, PodDisruptionBudget
from scheduler_core.framework.preemption.evaluator import CandidateLimits, Evaluator
from scheduler_core.recording import MemoryStore
from scheduler_core.recording import events as ev
from scheduler_core.simulate import Policies, RunInputs, RunSession
from scheduler_core.testing.builders import make_node, make_pod
from tests.bench.calibration import calibration_cpython_s, calibration_ns

if TYPE_CHECKING:
    from collections.abc import Iterator

POLICIES = {
    "preemption-budgets": Policies(victims="at_once", attempt_order="listed"),
    "preemption-budgets-grace": Policies(),
}
PRIORITIES = (0, 10, 20, 30)
SIZES = (("400m", 400), ("800m", 800), ("1600m", 1600), ("3200m", 3200))
NODE_CPU = 16_000
BUDGETS = 20
GUARDED = 0.3
START = 1_735_689_600.0
PREEMPTORS = (("1", 100), ("2", 100), ("4", 100), ("6", 1000), ("2", 25), ("10", 1000))
"""cpu and priority of each template."""
SAMPLE_EVERY = 50
PLAIN_CYCLES = 40
CHUNK_CYCLES = 2_000
WARM_UP = 200
"""Decisions until every template has tried nearly all nodes; "warm" figures leave these out."""


def objects_of(n_nodes: int, n_preemptors: int) -> ClusterObjects:
    """The cluster, from one seed."""
    random, nodes = Random(1), []
    pods: list[Pod] = []
    for i in range(n_nodes):
        nodes.append(make_node(f"node-{i:05d}", cpu="16", memory="64Gi"))
        pods += _filling(random, nodes[-1])
    for i in range(n_preemptors):
        cpu, priority = PREEMPTORS[i % len(PREEMPTORS)]
        pods.append(make_pod(f"preemptor-{i:05d}", cpu=cpu, memory="1Gi", priority=priority))
    return ClusterObjects(
        nodes=nodes, pods=pods, namespaces=[Namespace(name="default")], pod_disruption_budgets=_budgets(pods)
    )


def _filling(random: Random, node: Node) -> Iterator[Pod]:
    """Pods of one or two sizes until the node is full."""
    sizes, free, i = random.sample(SIZES, random.choice((1, 2))), NODE_CPU, 0
    while free >= min(amount for _, amount in sizes):
        cpu, amount = random.choice([size for size in sizes if size[1] <= free])
        guarded = random.random() < GUARDED
        yield make_pod(
            f"low-{node.name[5:]}-{i}",
            cpu=cpu,
            memory="256Mi",
            priority=random.choice(PRIORITIES),
            labels={"app": f"app-{random.randrange(BUDGETS)}"} if guarded else {},
            node_name=node.name,
            phase="Running",
            start_time=START + random.randrange(1_000_000),
        )
        free, i = free - amount, i + 1


def _budgets(pods: list[Pod]) -> list[PodDisruptionBudget]:
    """A fifth each: nothing allowed, two allowed, and computed ones that are used up soon, late and by percentage."""
    budgets = []
    for k in range(BUDGETS):
        app = f"app-{k}"
        n_pods = sum(pod.labels.get("app") == app for pod in pods)
        kinds: tuple[dict[str, Any], ...] = (
            {"disruptions_allowed": 0},
            {"disruptions_allowed": 2},
            {"min_available": str(n_pods - 3)},
            {"min_available": str(n_pods // 2)},
            {"max_unavailable": "1%"},
        )
        selector = LabelSelector((Requirement("app", "In", (app,)),))
        budgets.append(PodDisruptionBudget(name=app, selector=selector, **kinds[k % len(kinds)]))
    return budgets


class Decisions:
    """Follows a run: CPU seconds of each PostFilter with the recording of its event, or a comparison with the plain
    definition at every SAMPLE_EVERY-th decision."""

    def __init__(self, session: RunSession, *, compared: bool) -> None:
        simulation = session.simulation
        (self._framework,) = simulation.frameworks.values()
        self._post_filter, self._emit = self._framework.run_post_filter, simulation.scheduler.emit
        self._compared = compared
        self._compress = zstandard.ZstdCompressor(level=1).compress
        self.seconds: list[float] = []
        self.n_compared = 0
        self.candidates: list[int] = []
        self._framework.run_post_filter = self._run  # type: ignore[method-assign]
        simulation.scheduler.emit = self._tell

    def _run(self, cycle: Any, pod: Any, outcome: Any) -> Any:
        if self._compared and len(self.seconds) % SAMPLE_EVERY == 0:
            self._compare(cycle, pod, outcome)
        started = time.process_time()
        result = self._post_filter(cycle, pod, outcome)
        self.seconds.append(time.process_time() - started)
        return result

    def _tell(self, event: ev.AnyEvent) -> int:
        seq = self._emit(event)
        if not isinstance(event, ev.PreemptionDecided):
            return seq
        started = time.process_time()
        encoded = msgspec.msgpack.encode(event)
        sha256(encoded).digest()
        self._compress(encoded)
        self.seconds[-1] += time.process_time() - started
        self.candidates.append(event.n_candidates)
        return seq

    def _compare(self, cycle: Any, pod: Any, outcome: Any) -> None:
        """Raises ValueError where the kept answers are not what each node's dry run gives."""
        context = self._framework.run
        (plugin,) = [p for p in self._framework.points.post_filter if p.name == "DefaultPreemption"]
        context.uses_caches = False
        plain = Evaluator(self._framework, CandidateLimits()).evaluate(cycle, pod, outcome)
        context.uses_caches = True
        nominating: Any = plugin.post_filter(cycle, pod, outcome)
        if nominating.decision != plain:
            raise ValueError(f"cycle {cycle.number}: the plain definition decides otherwise")
        self.n_compared += 1


def measure(name: str, n_nodes: int, n_preemptors: int) -> dict[str, Any]:
    """Figures of one workload. Raises ValueError where a result is not the plain engine's."""
    inputs = RunInputs(
        objects=objects_of(n_nodes, n_preemptors),
        seed=3,
        max_cycles=20 * n_preemptors,
        policies=POLICIES[name],
    )
    session = RunSession.start(inputs)
    store, decisions = MemoryStore(session.initial_keyframe()), Decisions(session, compared=False)
    gc.collect()
    gc.freeze()
    started, done = time.process_time(), False
    while not done:
        done = session.advance(max_cycles=CHUNK_CYCLES)
        store.add(session.cut_chunk())
    spent = time.process_time() - started
    gc.unfreeze()
    n_compared = check(inputs, session.recording_hash())
    counts, ms = session.simulation.recorder.state.counts, [1000 * s for s in decisions.seconds]
    return {
        "nodes": n_nodes,
        "low_pods": sum(bool(pod.node_name) for pod in inputs.objects.pods),
        "decisions": len(ms),
        "candidates_mean": statistics.fmean(decisions.candidates),
        "victims": counts.victims,
        "ms_per_decision_mean": statistics.fmean(ms),
        "ms_per_decision_p50": statistics.median(ms),
        "ms_per_decision_p99": float(np.percentile(ms, 99)),
        "ms_per_decision_max": max(ms),
        "ms_per_decision_p50_warm": statistics.median(ms[WARM_UP:] or ms),
        "ms_per_decision_p99_warm": float(np.percentile(ms[WARM_UP:] or ms, 99)),
        "pods_per_second": counts.bound / spent,
        "bytes_per_cycle": sum(len(c.events) + len(c.frames) + len(c.frame_index) for c in store.chunks)
        / session.cycle,
        "frame_bytes_per_cycle": sum(len(c.frames) for c in store.chunks) / session.cycle,
        "recording_hash": session.recording_hash(),
        "compared_decisions": n_compared,
        "compared_cycles": PLAIN_CYCLES,
    }


def check(inputs: RunInputs, recording_hash: str) -> int:
    """How many decisions were compared. Raises ValueError at the first difference."""
    again = RunSession.start(inputs)
    decisions = Decisions(again, compared=True)
    again.advance()
    if again.recording_hash() != recording_hash:
        raise ValueError("a second run leaves another recording")
    plain, cached_run = (RunSession.start(inputs, cached=cached) for cached in (False, True))
    for session in (plain, cached_run):
        session.advance(max_cycles=PLAIN_CYCLES)
    if plain.recording_hash() != cached_run.recording_hash():
        raise ValueError("the engine that keeps nothing leaves another recording")
    return decisions.n_compared


def lines(nodes: int, cycles: int) -> Iterator[dict[str, Any]]:
    """One dict of figures per workload, with so many preemptors. Raises ValueError where a result is wrong."""
    for name in POLICIES:
        figures = measure(name, nodes, cycles)
        yield {"workload": name, **{k: round(v, 3) if isinstance(v, float) else v for k, v in figures.items()}}


def main(argv: list[str]) -> int:
    """Exit status 0 with one JSON line per workload on standard output."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.preemption", description=__doc__)
    parser.add_argument("--nodes", type=int, default=5_000)
    parser.add_argument("--cycles", type=int, default=1_000, help="preemptors")
    options = parser.parse_args(argv)
    calibration = {
        "calibration_ns": round(calibration_ns()),
        "calibration_cpython_s": round(calibration_cpython_s(), 3),
    }
    try:
        for line in lines(options.nodes, options.cycles):
            print(json.dumps({**line, **calibration}), flush=True)
    except ValueError as problem:
        print(problem, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

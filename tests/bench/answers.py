"""What answers cost that try changes (python -m tests.bench --workload answers): CPU milliseconds in one process.

A run of a generated GPU cluster in which every hundredth pod is too large for any node, with keyframes as a worker
writes them. `cold`: the state of a cycle restored and the remedies of its pod found there; `warm`: remedies on a
session that answered another pod before; `trial`: one attempt without changes on it. `weights`: ranges of the weights
of a cycle from its recorded frame; `rivals`: winner, runner-up and a refused node compared; `preemption`: why it did
not help. Inputs are in memory. `without_remedy` are pods of which none was found within DEADLINE_SECONDS.

The lines `diagnosis` are of another cluster (pending_mix.py), at a tenth of the nodes and at all of them: 200 pods that
wait for many reasons, in one open session. `cause`: cause and groups without remedies; `remedies`: all of them, at a
tenth of the nodes only.
"""

from __future__ import annotations

import random
import time
from functools import partial
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from scheduler_core.api.objects import Container
from scheduler_core.explain.diagnosis import diagnose
from scheduler_core.explain.preemption import why_no_preemption
from scheduler_core.explain.remedies.search import remedies
from scheduler_core.explain.rivals.compare import compare
from scheduler_core.explain.rivals.flips import weight_ranges
from scheduler_core.explain.sessions import Trials, at_cycle, at_seq
from scheduler_core.manifests import load_cluster
from scheduler_core.manifests.model import ManifestSource
from scheduler_core.recording import MemoryStore, RecordingReader
from scheduler_core.recording import events as ev
from scheduler_core.simulate import RunInputs, RunSession
from scheduler_core.workloads.synthetic import gpu_cluster
from tests.bench.calibration import REFERENCE_CPYTHON_S, calibration_cpython_s
from tests.bench.pending_mix import pending_mix

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

DIAGNOSED = 200
COLD, WARM, EVERY, RIVALS_EVERY = 12, 40, 100, 8
KEYFRAME_EVENTS = 4_000
DEADLINE_SECONDS = 6.0


def lines(nodes: int, cycles: int) -> Iterator[dict[str, Any]]:
    """Yield one line of figures."""
    scale = REFERENCE_CPYTHON_S / calibration_cpython_s()
    inputs = _inputs(nodes, cycles)
    reader, refused, scored = _recorded(inputs)
    asked, chance = Asked(reader, inputs), random.Random(7)
    for cycle in chance.sample(refused, min(COLD, len(refused))):
        asked.cold(cycle)
    asked.warm([_pod_of(reader, cycle) for cycle in refused], at_cycle(reader, inputs, refused[-1]))
    for n, cycle in enumerate(chance.sample(scored, min(WARM, len(scored)))):
        asked.weights(cycle)
        if n % RIVALS_EVERY == 0:
            asked.rivals(cycle)
    line: dict[str, Any] = {"workload": "answers", "nodes": nodes, "cycles": cycles, "pods": asked.n_pods}
    for name, each in asked.spent.items():
        line |= {f"{name}_ms_p{q}": float(np.percentile(each, q)) * scale for q in (50, 95)}
    yield line | {"without_remedy": asked.without}
    yield _diagnosed(nodes // 10, scale, with_remedies=True)
    yield _diagnosed(nodes, scale, with_remedies=False)


def _diagnosed(nodes: int, scale: float, *, with_remedies: bool) -> dict[str, Any]:
    """What causes and first remedies of pods that wait cost, in CPU milliseconds."""
    inputs = pending_mix(nodes, 2 * DIAGNOSED)
    session = RunSession.start(inputs)
    trials = at_seq(RecordingReader(MemoryStore(session.initial_keyframe())), inputs, 0)
    spent: dict[str, list[float]] = {"cause": [], "remedies": []}
    for pod in (f"default/wait-{i}" for i in range(2 * DIAGNOSED)):
        began = time.process_time()
        diagnosis = diagnose(trials, pod)
        took = time.process_time() - began
        if diagnosis is None or len(spent["cause"]) == DIAGNOSED:
            continue
        spent["cause"].append(took * 1000)
        if with_remedies:
            began = time.process_time()
            remedies(trials, pod)
            spent["remedies"].append((time.process_time() - began) * 1000)
    line: dict[str, Any] = {"workload": "diagnosis", "nodes": nodes, "pods": len(spent["cause"])}
    for name, each in spent.items():
        if each:
            line |= {f"{name}_ms_p{q}": float(np.percentile(each, q)) * scale for q in (50, 95)}
    return line


class Asked:
    """Questions about one recording; ``spent`` is {question: CPU milliseconds of each}."""

    def __init__(self, reader: RecordingReader, inputs: RunInputs) -> None:
        self._reader, self._inputs = reader, inputs
        self.spent: dict[str, list[float]] = {}
        self.n_pods = self.without = 0

    def cold(self, cycle: int) -> None:
        """Remedies of the cycle's pod on a state restored for it."""
        self._remedies("cold", lambda: at_cycle(self._reader, self._inputs, cycle), _pod_of(self._reader, cycle))

    def warm(self, pods: list[str], trials: Trials) -> None:
        """What is asked of a session that answered the first of the pods before."""
        remedies(trials, pods[0])
        for pod in random.Random(8).sample(pods[1:], min(WARM, len(pods) - 1)):
            self._timed("trial", partial(trials.attempt, pod))
            self._remedies("warm", lambda: trials, pod)
            self._timed("preemption", partial(why_no_preemption, trials, pod))

    def weights(self, cycle: int) -> None:
        """Ranges of weights from the recorded frame."""

        def count_ranges() -> int:
            frame = self._reader.frame(cycle)
            return 0 if frame is None else len(weight_ranges(frame, self._reader.node_names(cycle)))

        if not self._timed("weights", count_ranges):
            raise ValueError(f"cycle {cycle} has no weights")

    def rivals(self, cycle: int) -> None:
        """The winner and a refused node, which is tried."""
        frame, names = self._reader.frame(cycle), self._reader.node_names(cycle)
        trials, pod = at_cycle(self._reader, self._inputs, cycle), _pod_of(self._reader, cycle)
        trial = trials.attempt(pod)
        refused = next((name for name in names if name and not trial.fits(name)), trial.node)
        self._timed("rivals", partial(compare, trials, pod, [trial.node, refused], frame, names))

    def _remedies(self, name: str, restore: Callable[[], Trials], pod: str) -> None:
        deadline = time.monotonic() + DEADLINE_SECONDS
        answer = self._timed(name, lambda: remedies(restore(), pod, lambda: time.monotonic() >= deadline))
        self.n_pods += 1
        self.without += not answer.verified

    def _timed(self, name: str, do: Callable[[], Any]) -> Any:
        began = time.process_time()
        value = do()
        self.spent.setdefault(name, []).append((time.process_time() - began) * 1000)
        return value


def _pod_of(reader: RecordingReader, cycle: int) -> str:
    started = reader.event(reader.cycle_span(cycle)[0])
    assert isinstance(started, ev.CycleStarted)
    return started.pod


def _inputs(nodes: int, cycles: int) -> RunInputs:
    text = msgspec.json.encode({"apiVersion": "v1", "kind": "List", "items": gpu_cluster(nodes, cycles)})
    objects = load_cluster([ManifestSource("cluster.json", text)]).objects
    pods = [_too_large(pod) if i % EVERY == EVERY - 1 else pod for i, pod in enumerate(objects.pods)]
    return RunInputs(objects=msgspec.structs.replace(objects, pods=pods), max_cycles=cycles, seed=3)


def _too_large(pod: Any) -> Any:
    """The pod asking for more cpu than any node has."""
    first, *others = pod.containers
    larger = Container(first.name, first.image, {**first.requests, "cpu": 200_000})
    return msgspec.structs.replace(pod, containers=(larger, *others))


def _recorded(inputs: RunInputs) -> tuple[RecordingReader, list[int], list[int]]:
    """The run, its cycles that found no node, and those that scored."""
    session = RunSession.start(inputs)
    store, refused, scored = MemoryStore(session.initial_keyframe()), list[int](), list[int]()

    def hear(seq: int, event: ev.AnyEvent) -> None:
        if isinstance(event, ev.CycleFinished) and event.outcome == "unschedulable":
            refused.append(event.cycle)
        elif isinstance(event, ev.NodesScored):
            scored.append(event.cycle)

    session.observe(hear)
    last, finished = 0, False
    while not finished:
        finished = session.advance(max_cycles=50)
        if finished or session.head_seq - last >= KEYFRAME_EVENTS:
            last = session.head_seq
            if chunk := session.cut_chunk():
                store.add(chunk)
    return RecordingReader(store), refused, scored

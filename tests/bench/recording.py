"""How long recording takes: events and frames per cycle, chunks, random access (python -m tests.bench.recording).

Frames are those of a cluster with 12 filter and 7 score plugins where a bind changes one row of a few templates.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from collections.abc import Iterator
from random import Random

import numpy as np

from scheduler_core.framework.interface import Normalization
from scheduler_core.framework.normalize import DEFAULT
from scheduler_core.recording import Frame, MemoryStore, Recorder, RecordingReader, RunState
from scheduler_core.recording import events as ev

FILTERS = tuple(f"Filter{i}" for i in range(12))
SCORES = tuple(f"Score{i}" for i in range(7))
REASONS = (("Insufficient cpu",), ("node(s) had untolerated taint {key: value}",), ("Insufficient memory",))


class Template:
    """Arrays of one equivalence class, changed in place from cycle to cycle as an engine's caches are."""

    def __init__(self, number: int, n: int, random: np.random.Generator) -> None:
        self.number = number
        self.codes = np.zeros((len(FILTERS), n), dtype=np.uint8)
        self.codes[2] = np.where(random.random(n) < 0.2, 3, 0)
        self.reasons = np.where(self.codes != 0, 2, 0).astype(np.int32)
        self.raw = random.integers(0, 100, (len(SCORES), n))
        self.raw[3] *= 900

    def change(self, rows: np.ndarray, random: np.random.Generator) -> None:
        self.raw[0, rows] = random.integers(0, 100, len(rows))
        self.raw[1, rows] = random.integers(0, 100, len(rows))
        full = rows[:1]
        self.codes[7, full], self.reasons[7, full] = 2, 1

    def frame(self, cycle: int, recorder: Recorder) -> Frame:
        refusing = self.codes != 0
        decisive = np.where(refusing.any(axis=0), refusing.argmax(axis=0), -1).astype(np.int16)
        return Frame(
            cycle=cycle,
            template=self.number,
            n_rows=self.codes.shape[1],
            filter_plugins=FILTERS,
            codes=self.codes,
            reasons=self.reasons,
            decisive=decisive,
            overlay=(),
            score_plugins=SCORES,
            weights=(1,) * len(SCORES),
            normalizations=tuple(Normalization(DEFAULT, (int(row.max()),)) for row in self.raw),
            raw=self.raw,
            reason_table=recorder.reasons.entries,
        )


def cycle_events(cycle: int, template: int, n: int) -> Iterator[ev.AnyEvent]:
    """The events of a scheduled pod; frames go between the fifth and the sixth."""
    at, pod, node = cycle * 1000, f"team-a/web-6d4cf56db6-{cycle}", f"node-{cycle % n}"
    yield ev.ObjectChanged(at=at, kind="Pod", key=pod, action="added", entry=cycle)
    yield ev.QueueMove(at=at, pod=pod, source="", target="active", event="PodAdd", timestamp=at)
    yield ev.QueueMove(at=at, pod=pod, source="active", target="in_flight", event="Popped", timestamp=at, attempts=1)
    yield ev.CycleStarted(
        at=at, cycle=cycle, pod=pod, attempt=1, profile="default-scheduler", priority=0, template=template, n_nodes=n
    )
    refusal = ev.Refusal("TaintToleration", 3, REASONS[1], n // 5)
    yield ev.NodesFiltered(at=at, cycle=cycle, visited=n, feasible=n - n // 5, refusals=(refusal,))
    scores = tuple(ev.ScoreSummary(s, 1, DEFAULT, (99,), 90, 91, 80, 81, 0, 100, 41.5, False) for s in SCORES)
    yield ev.NodesScored(at=at, cycle=cycle, plugins=scores)
    yield ev.HostSelected(at=at, cycle=cycle, node=node, total=600, second="node-1", second_total=599)
    yield ev.Reserved(at=at, cycle=cycle, pod=pod, node=node)
    yield ev.CycleFinished(at=at, cycle=cycle, pod=pod, outcome="scheduled", node=node)
    yield ev.QueueMove(at=at, pod=pod, source="in_flight", target="", event="Done")
    yield ev.Bound(at=at, cycle=cycle, pod=pod, node=node)


class Clock:
    """Adds up the time spent in a named part."""

    def __init__(self) -> None:
        self.spent: dict[str, float] = {}

    def add(self, name: str, since: float) -> None:
        self.spent[name] = self.spent.get(name, 0.0) + time.perf_counter() - since


def record(n: int, cycles: int, templates: int, chunk: int, clock: Clock) -> MemoryStore:
    """A recording of so many cycles; the clock has the seconds of its parts."""
    random = np.random.default_rng(3)
    recorder = Recorder(state=RunState.initial({f"node-{i}": i for i in range(n)}, {}))
    for reason in REASONS:
        recorder.reasons.intern(reason)
    store = MemoryStore(recorder.keyframe({}))
    kept = [Template(i, n, random) for i in range(templates)]
    for cycle in range(1, cycles + 1):
        template = kept[cycle % templates]
        template.change(random.integers(0, n, templates), random)
        frame = template.frame(cycle, recorder)
        for i, event in enumerate(list(cycle_events(cycle, template.number, n))):
            start = time.perf_counter()
            recorder.event(event)
            clock.add("events", start)
            if i == 5:
                start = time.perf_counter()
                recorder.frame(frame)
                clock.add("frame", start)
        if cycle % chunk == 0 or cycle == cycles:
            start = time.perf_counter()
            store.add(recorder.cut_chunk({}))
            clock.add("chunk", start)
    return store


def random_access(store: MemoryStore, cycles: int, reads: int) -> dict[str, float]:
    """Milliseconds of reading frames and states at random, from a reader that holds what it read."""
    reader, random = RecordingReader(store), Random(4)
    found: dict[str, list[float]] = {"frame": [], "state": []}
    for _ in range(reads):
        cycle = random.randrange(1, cycles + 1)
        start = time.perf_counter()
        reader.frame(cycle)
        found["frame"].append((time.perf_counter() - start) * 1000)
        start = time.perf_counter()
        reader.state_at(reader.cycle_span(cycle)[0])
        found["state"].append((time.perf_counter() - start) * 1000)
    return {
        f"{what}_{name}_ms": round(value, 2)
        for what, times in found.items()
        for name, value in (("p50", statistics.median(times)), ("max", max(times)))
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--nodes", type=int, default=5000)
    parser.add_argument("--cycles", type=int, default=4000)
    parser.add_argument("--templates", type=int, default=20)
    parser.add_argument("--chunk", type=int, default=2000)
    parser.add_argument("--reads", type=int, default=100)
    args = parser.parse_args()
    clock = Clock()
    store = record(args.nodes, args.cycles, args.templates, args.chunk, clock)
    per_cycle = {f"{name}_us": round(1e6 * spent / args.cycles, 1) for name, spent in clock.spent.items()}
    parts = ("events", "frames", "frame_index", "keyframe")
    sizes = {f"{p}_bytes": sum(len(getattr(c, p) or b"") for c in store.chunks) // args.cycles for p in parts}
    print(json.dumps({**vars(args), **per_cycle, **sizes, **random_access(store, args.cycles, args.reads)}))


if __name__ == "__main__":
    main()

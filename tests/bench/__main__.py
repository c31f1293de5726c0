"""``python -m tests.bench [--workload NAME] [--nodes N] [--cycles N] [--repeat N]``: one JSON line per workload.

A figure is printed only after every 97th cycle was read back from the recording and found equal to what the engine
held; otherwise the exit status is 1. Rates are cycles per second of the process's CPU time, the median of the repeats.
"""

from __future__ import annotations

import argparse
import gc
import json
import resource
import statistics
import sys
import time
from typing import Any

import numpy as np

from scheduler_core.engine.attempt import Attempt
from scheduler_core.recording import MemoryStore, RecordingReader
from scheduler_core.simulate import RunInputs, RunSession
from tests.bench.workloads import WORKLOADS, objects_of

CHECK_EVERY = 97
CHUNK_CYCLES = 2000
"""A chunk with a keyframe every so many cycles, as runs are recorded."""


class Checks:
    """Copies of what the engine held at every 97th cycle, to be compared with the recording."""

    def __init__(self) -> None:
        self.kept: dict[int, tuple[Any, ...]] = {}

    def watch(self, attempt: Attempt) -> None:
        outcome = attempt.outcome
        if attempt.cycle.number % CHECK_EVERY or outcome is None:
            return
        n = outcome.cluster.table.n_rows
        totals = np.zeros(n, dtype=np.int64)
        if attempt.scores is not None:
            rows = attempt.scores.rows
            totals[rows] = attempt.scores.totals[rows]
        self.kept[attempt.cycle.number] = (outcome.decisive[:n].copy(), outcome.codes[:, :n].copy(), totals)

    def differences(self, reader: RecordingReader) -> list[int]:
        """Cycles whose recorded frame is another than what was held."""
        wrong = []
        for cycle, (decisive, codes, totals) in self.kept.items():
            frame = reader.frame(cycle)
            visited = decisive != -2
            same = frame is not None and np.array_equal(frame.decisive, decisive)
            same = same and np.array_equal(frame.codes[:, visited], codes[:, visited])
            if not (same and np.array_equal(frame.totals(), totals)):
                wrong.append(cycle)
        return wrong


def measure(name: str, n_nodes: int, cycles: int) -> dict[str, Any]:
    """Figures of one execution. Raises ValueError where the recording differs from the engine."""
    inputs = RunInputs(
        objects=objects_of(WORKLOADS[name], n_nodes, cycles),
        seed=3,
        max_cycles=10 * cycles + 1000,
        policies=WORKLOADS[name].policies,
    )
    session = RunSession.start(inputs)
    store = MemoryStore(session.initial_keyframe())
    checks = Checks()
    session.simulation.scheduler.on_attempt = checks.watch
    gc.collect()
    gc.freeze()
    cpu, wall, latencies = time.process_time(), time.perf_counter(), []
    done = False
    while not done:
        started = time.perf_counter()
        done = session.advance(max_cycles=CHUNK_CYCLES)
        latencies.append((time.perf_counter() - started) / CHUNK_CYCLES)
        store.add(session.cut_chunk())
    cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
    wrong = checks.differences(RecordingReader(store))
    if wrong:
        raise ValueError(f"{name}: {len(wrong)} of {len(checks.kept)} cycles read back differ, the first is {wrong[0]}")
    size = sum(len(c.events) + len(c.frames) + len(c.frame_index) for c in store.chunks)
    return {
        "cycles": session.cycle,
        "cycles_per_second": session.cycle / cpu,
        "cycles_per_second_wall": session.cycle / wall,
        "us_per_cycle_p50": statistics.median(latencies) * 1e6,
        "bytes_per_cycle": size / session.cycle,
        "frame_bytes_per_cycle": sum(len(c.frames) for c in store.chunks) / session.cycle,
        "recording_hash": session.recording_hash(),
        "checked_cycles": len(checks.kept),
        "bound": session.simulation.recorder.state.counts.bound,
    }


def calibration_ns() -> float:
    """Nanoseconds of a fixed numpy step at 5,000: int16 add, take and argmax."""
    a, b = np.arange(5000, dtype=np.int16), np.ones(5000, dtype=np.int16)
    index = np.arange(5000, dtype=np.int64)[::-1].copy()
    started = time.process_time()
    for _ in range(2000):
        np.add(a, b, out=b)
        b.take(index).argmax()
    return (time.process_time() - started) / 2000 * 1e9


def calibration_cpython_s() -> float:
    """Seconds of the CPython loop by which the reference's figures are scaled."""
    started = time.process_time()
    sum(i * i for i in range(20_000_000))
    return time.process_time() - started


def main(argv: list[str]) -> int:
    """Exit status 0 with one JSON line per workload on standard output."""
    options = _options(argv)
    calibration = {
        "calibration_ns": round(calibration_ns()),
        "calibration_cpython_s": round(calibration_cpython_s(), 3),
    }
    for name in [options.workload] if options.workload else list(WORKLOADS):
        cycles = options.cycles or WORKLOADS[name].cycles
        try:
            runs = [measure(name, options.nodes, cycles) for _ in range(options.repeat)]
        except ValueError as problem:
            print(problem, file=sys.stderr)
            return 1
        told = sorted(runs, key=lambda run: run["cycles_per_second"])[len(runs) // 2]
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
        figures = {key: round(value, 1) if isinstance(value, float) else value for key, value in told.items()}
        rates = [round(run["cycles_per_second"], 1) for run in runs]
        print(
            json.dumps(
                {
                    "workload": name,
                    "nodes": options.nodes,
                    **figures,
                    "rates": rates,
                    "peak_rss_mb": peak,
                    **calibration,
                }
            )
        )
    return 0


def _options(argv: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__)
    parser.add_argument("--workload", choices=sorted(WORKLOADS))
    parser.add_argument("--nodes", type=int, default=5_000)
    parser.add_argument("--cycles", type=int)
    parser.add_argument("--repeat", type=int, default=1)
    return parser.parse_args(argv)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

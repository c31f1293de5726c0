"""``python -m tests.bench [--workload NAME] [--nodes N] [--cycles N] [--repeat N] [--no-cache] [--slopes]``

Prints one JSON line per workload. Before a figure is printed, the same run is made again by the engine that keeps
nothing: its recording hash, which covers every event and the whole matrix of every 97th cycle, must be the same, and
each of these matrices, read back from the stored chunks, must have the digest recorded; otherwise the exit status is 1.
Rates are per second of the process's CPU time, the median of the repeats.
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

from scheduler_core.recording import MemoryStore, NodesByName, RecordingReader, matrix_digest
from scheduler_core.recording import events as ev
from scheduler_core.simulate import RunInputs, RunSession
from tests.bench.workloads import WORKLOADS, objects_of

SLICE_CYCLES = 100
CHUNK_SLICES = 20
"""A chunk with a keyframe every 2,000 cycles, as runs are recorded."""
READS = 200


class Execution:
    """One run from start to end, with its chunks and the CPU seconds of each slice of cycles."""

    def __init__(self, inputs: RunInputs, *, keeping: bool) -> None:
        self.session = RunSession.start(inputs, keeping=keeping)
        self.store = MemoryStore(self.session.initial_keyframe())
        self.slices: list[float] = []
        gc.collect()
        gc.freeze()
        cpu, wall = time.process_time(), time.perf_counter()
        done = False
        while not done:
            done = self._slice()
        self.store.add(self.session.cut_chunk())
        self.cpu, self.wall = time.process_time() - cpu, time.perf_counter() - wall
        gc.unfreeze()

    def _slice(self) -> bool:
        started, cycle = time.process_time(), self.session.cycle
        done = self.session.advance(max_cycles=SLICE_CYCLES)
        if self.session.cycle > cycle:
            self.slices.append((time.process_time() - started) / (self.session.cycle - cycle))
        if len(self.slices) % CHUNK_SLICES == 0:
            self.store.add(self.session.cut_chunk())
        return done


def measure(name: str, n_nodes: int, cycles: int, *, keeping: bool, checked: bool) -> dict[str, Any]:
    """Figures of one execution. Raises ValueError where the recording is not what the plain engine leaves."""
    workload = WORKLOADS[name]
    inputs = RunInputs(
        objects=objects_of(workload, n_nodes, cycles),
        seed=3,
        max_cycles=10 * cycles + 1000,
        policies=workload.policies,
    )
    run = Execution(inputs, keeping=keeping)
    reader = RecordingReader(run.store)
    n_checked = check(name, run, reader, inputs) if checked else 0
    n, chunks = run.session.cycle, run.store.chunks
    bound = run.session.simulation.recorder.state.counts.bound
    return {
        "cycles": n,
        "cycles_per_second": n / run.cpu,
        "cycles_per_second_wall": n / run.wall,
        "pods_per_second": bound / run.cpu,
        "us_per_cycle_p50": statistics.median(run.slices) * 1e6,
        "us_per_cycle_p99": float(np.percentile(run.slices, 99)) * 1e6,
        "bytes_per_cycle": sum(len(c.events) + len(c.frames) + len(c.frame_index) for c in chunks) / n,
        "frame_bytes_per_cycle": sum(len(c.frames) for c in chunks) / n,
        "read_frame_ms_p99": reading_ms(reader, n),
        "recording_hash": run.session.recording_hash(),
        "checked_cycles": n_checked,
        "bound": bound,
    }


def check(name: str, run: Execution, reader: RecordingReader, inputs: RunInputs) -> int:
    """How many matrices were compared. Raises ValueError at the first difference."""
    digests = [e for _, e in reader.events(0, reader.head_seq()) if isinstance(e, ev.MatrixDigest)]
    nodes = NodesByName(run.session.simulation.recorder.state.nodes)
    for event in digests:
        frame = reader.frame(event.cycle)
        if frame is None or matrix_digest(frame, nodes) != event.digest:
            raise ValueError(f"{name}: the matrix of cycle {event.cycle} read back is another than the one recorded")
    plain = RunSession.start(inputs, keeping=False)
    plain.advance()
    if plain.recording_hash() != run.session.recording_hash():
        raise ValueError(f"{name}: the engine that keeps nothing leaves another recording")
    return len(digests)


def reading_ms(reader: RecordingReader, n_cycles: int) -> float:
    """99th percentile of the milliseconds that reading a frame takes, over cycles spread through the run."""
    spent = []
    for i in range(READS):
        started = time.perf_counter()
        reader.frame(1 + i * 7919 % n_cycles)
        spent.append((time.perf_counter() - started) * 1000)
    return float(np.percentile(spent, 99))


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
            line = _line(name, options, cycles)
        except ValueError as problem:
            print(problem, file=sys.stderr)
            return 1
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
        print(json.dumps({**line, "peak_rss_mb": peak, **calibration}), flush=True)
    return 0


def _line(name: str, options: argparse.Namespace, cycles: int) -> dict[str, Any]:
    """The median of the repeats; the first of them is checked, the others must leave the same recording."""
    keeping = not options.no_cache
    runs = [
        measure(name, options.nodes, cycles, keeping=keeping, checked=keeping and i == 0) for i in range(options.repeat)
    ]
    if len({run["recording_hash"] for run in runs}) > 1:
        raise ValueError(f"{name}: repeats leave different recordings")
    told = sorted(runs, key=lambda run: float(run["cycles_per_second"]))[len(runs) // 2]
    told["checked_cycles"] = runs[0]["checked_cycles"]
    figures = {key: round(value, 1) if isinstance(value, float) else value for key, value in told.items()}
    line = {"workload": name, "nodes": options.nodes, "cache": keeping, **figures}
    line["rates"] = [round(run["cycles_per_second"], 1) for run in runs]
    if options.slopes:
        large = measure(name, 10 * options.nodes, cycles, keeping=keeping, checked=False)
        line["slope_ten_times_the_nodes"] = round(told["cycles_per_second"] / large["cycles_per_second"], 2)
    return line


def _options(argv: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__)
    parser.add_argument("--workload", choices=sorted(WORKLOADS))
    parser.add_argument("--nodes", type=int, default=5_000)
    parser.add_argument("--cycles", type=int, help="pods to schedule; default: as many as the workload is defined with")
    parser.add_argument("--repeat", type=int, default=1)
    parser.add_argument("--no-cache", action="store_true", help="measure the engine that keeps nothing between cycles")
    parser.add_argument("--slopes", action="store_true", help="also measure ten times as many nodes")
    return parser.parse_args(argv)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

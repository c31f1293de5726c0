"""The engine alone: a run from the first event to the last chunk, and proof that what it recorded is right."""

from __future__ import annotations

import gc
import statistics
import time
from typing import Any

import numpy as np

from scheduler_core.compiled import kernel, without_kernel
from scheduler_core.recording import MemoryStore, NodesByName, RecordingReader, matrix_digest
from scheduler_core.recording import events as ev
from scheduler_core.simulate import RunInputs, RunSession
from tests.bench.calibration import REFERENCE_CPYTHON_S, between, calibration
from tests.bench.workloads import WORKLOADS, Workload, objects_of

SLICE_CYCLES = 100
CHUNK_SLICES = 20
"""A chunk with a keyframe every 2,000 cycles; a worker writes one every 4,000 events."""
READS = 200


class Execution:
    """One run from start to end, with its chunks and the CPU seconds of each slice of cycles."""

    def __init__(self, inputs: RunInputs, *, cached: bool) -> None:
        self.session = RunSession.start(inputs, cached=cached)
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


def measure(
    name: str, n_nodes: int, cycles: int, *, cached: bool, checked: bool, workload: Workload | None = None
) -> dict[str, Any]:
    """Figures of one execution, of the workload of that name unless another is given.

    Raises ValueError where the recording is not what the plain engine leaves.
    """
    workload = workload or WORKLOADS[name]
    inputs = RunInputs(
        objects=objects_of(workload, n_nodes, cycles),
        seed=3,
        max_cycles=10 * cycles + 1000,
        policies=workload.policies,
    )
    before = calibration()
    run = Execution(inputs, cached=cached)
    calibrated = between(before, calibration())
    reader = RecordingReader(run.store)
    n_checked = check(name, run, reader, inputs) if checked else 0
    n, chunks = run.session.cycle, run.store.chunks
    bound = run.session.simulation.recorder.state.counts.bound
    return {
        "compiled": kernel() is not None,
        "cycles": n,
        "cycles_per_second": n / run.cpu,
        "cycles_per_second_scaled": n / run.cpu * calibrated["calibration_cpython_s"] / REFERENCE_CPYTHON_S,
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
        **calibrated,
    }


def check(name: str, run: Execution, reader: RecordingReader, inputs: RunInputs) -> int:
    """How many matrices were compared. Raises ValueError at the first difference."""
    digests = [e for _, e in reader.events(0, reader.head_seq()) if isinstance(e, ev.MatrixDigest)]
    nodes = NodesByName(run.session.simulation.recorder.state.nodes)
    for event in digests:
        frame = reader.frame(event.cycle)
        if frame is None or matrix_digest(frame, nodes) != event.digest:
            raise ValueError(f"{name}: the matrix of cycle {event.cycle} read back is another than the one recorded")
    with without_kernel():
        plain = RunSession.start(inputs, cached=False)
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

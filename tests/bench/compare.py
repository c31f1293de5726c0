"""How long the first view of a comparison of two runs takes (python -m tests.bench --workload compare).

Two runs of the mix with other seeds are recorded in chunks as large as the product writes them and kept in memory.
`compare_s` is the p95 of whole comparisons by readers made anew: inputs, first difference, both passes over all events,
pods and resources; `tally_s` is one of the two passes alone, `divergence_s` the first difference alone, `use_s` the
resources of one run. CPU time; `*_scaled` are divided by how much slower than the reference's machine the CPython loop
ran.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from scheduler_core.compare import RunToCompare, comparison, first_divergence
from scheduler_core.compare.resources import resource_use
from scheduler_core.explain.outcomes import tally_recording
from scheduler_core.recording import MemoryStore, RecordingReader
from scheduler_core.simulate import RunInputs, RunSession
from tests.bench.calibration import REFERENCE_CPYTHON_S, calibration_cpython_s
from tests.bench.reading import CHUNK_CYCLES, recorded

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

TIMES = 5


def lines(nodes: int, cycles: int) -> Iterator[dict[str, Any]]:
    """One line. Raises ValueError where a comparison lacks what two seeds must differ in."""
    store, session = recorded("mix", nodes, cycles)
    inputs = session.simulation.inputs
    others = msgspec.structs.replace(inputs, seed=inputs.seed + 1)
    other = _recorded(others)

    def divergence() -> object:
        a, b = pair()
        return first_divergence(a.side(), b.side(), whole.inputs)

    def pair() -> tuple[RunToCompare, RunToCompare]:
        return RunToCompare(inputs, RecordingReader(store)), RunToCompare(others, RecordingReader(other))

    whole = comparison(*pair())
    if whole.divergence is None or not whole.pods or [one.what for one in whole.inputs] != ["seed"]:
        raise ValueError("runs of two seeds differ in nothing")
    tally = tally_recording(inputs, RecordingReader(store))
    figures = {
        "compare_s": _p95(lambda: comparison(*pair())),
        "tally_s": _p95(lambda: tally_recording(inputs, RecordingReader(store))),
        "divergence_s": _p95(divergence),
        "use_s": _p95(lambda: resource_use(tally)),
    }
    slower = calibration_cpython_s() / REFERENCE_CPYTHON_S
    scaled = {f"{name}_scaled": value / slower for name, value in figures.items()}
    line = {"workload": "compare", "nodes": nodes, "cycles": session.cycle, "pods": whole.n_pods}
    yield line | {"differ": len(whole.pods), "first": whole.divergence.seq} | figures | scaled


def _recorded(inputs: RunInputs) -> MemoryStore:
    session = RunSession.start(inputs)
    store, going = MemoryStore(session.initial_keyframe()), True
    while going:
        going = not session.advance(max_cycles=CHUNK_CYCLES)
        store.add(session.cut_chunk())
    return store


def _p95(do: Callable[[], object]) -> float:
    times = []
    for _ in range(TIMES):
        began = time.process_time()
        do()
        times.append(time.process_time() - began)
    return float(np.percentile(times, 95))

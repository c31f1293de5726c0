"""How long a worker reads until it knows how watched values change (python -m tests.bench --workload watches).

A run of the mix is recorded in chunks as large as the product writes them and kept in memory. `start_s` is the state
before the first event, `read_s` the whole recording for all eight watches, `turn_s` the longest time between two
chances to stop; `count_of_cells_s` is a ninth watch alone, which counts refused cells. CPU time; `*_scaled` are divided
by how much slower than the reference's machine the CPython loop ran.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import numpy as np

from scheduler_core.explain.watches import WatchScan, parse_watch
from scheduler_core.query.scan import ScanControl
from scheduler_core.recording import RecordingReader
from tests.bench.calibration import REFERENCE_CPYTHON_S, calibration_cpython_s
from tests.bench.reading import recorded

if TYPE_CHECKING:
    from collections.abc import Iterator

OF_CELLS = "count of cell verdict:refused and plugin:NodePorts"


def lines(nodes: int, cycles: int) -> Iterator[dict[str, Any]]:
    """One line. Raises ValueError where a watch is not known to the end, or not what the state there says."""
    store, session = recorded("mix", nodes, cycles)
    reader = RecordingReader(store)
    names, end = list(reader.state_at(0).nodes), reader.state_at(reader.head_seq())
    texts = [
        *(f"free cpu of {names[3]}", f"used memory of {names[4]}", f"pods on {names[7]}"),
        *("length of activeQ", "length of backoffQ", "length of unschedulable"),
        *(f"state of pod {next(iter(end.placements))}", "count of cycle"),
    ]
    inputs = session.simulation.inputs
    began = time.process_time()
    scan = WatchScan(inputs, reader.state_at(0), [parse_watch(text) for text in texts])
    figures = {"start_s": time.process_time() - began} | _read(scan, RecordingReader(store))
    counted = scan.series[-1].value_at(reader.head_seq())
    if counted is None or counted.number != session.cycle:
        raise ValueError(f"{counted} cycles are counted of {session.cycle}")
    cells = WatchScan(None, reader.state_at(0), [parse_watch(OF_CELLS)])
    figures["count_of_cells_s"] = _read(cells, RecordingReader(store))["read_s"]
    slower = calibration_cpython_s() / REFERENCE_CPYTHON_S
    scaled = {f"{name}_scaled": value / slower for name, value in figures.items()}
    line = {"workload": "watches", "nodes": nodes, "cycles": session.cycle, "watches": len(texts)}
    yield line | {"changes": sum(len(one.seqs) for one in scan.series)} | figures | scaled


def _read(scan: WatchScan, reader: RecordingReader) -> dict[str, float]:
    asked: list[float] = []

    def stopped() -> str:
        asked.append(time.process_time())
        return ""

    began = time.process_time()
    scan.go_on(reader, ScanControl(stopped=stopped))
    ended = time.process_time()
    if any(one.reached != reader.head_seq() or one.is_cut for one in scan.series):
        raise ValueError("a watch is not known to the end of the recording")
    return {"read_s": ended - began, "turn_s": float(np.diff([began, *asked, ended]).max())}

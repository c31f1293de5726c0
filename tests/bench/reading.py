"""How long any cycle's whole matrix takes out of the store (python -m tests.bench.reading [--nodes N] [--cycles N]).

Runs of two workloads are recorded in chunks as large as the product writes them, kept in memory and in an SQLite
database as the product's. Random cycles are read: the frame, and of it all codes, raw and normalised scores and totals.
``cold``: each cycle by a new reader that holds nothing; ``warm``: one reader for all.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import time
from collections.abc import Callable, Iterator
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from scheduler_core.recording import MemoryStore, NodesByName, RecordingReader, matrix_digest
from scheduler_core.recording import events as ev
from scheduler_core.recording.reader import ChunkStore
from scheduler_core.simulate import RunInputs, RunSession
from tests.bench.workloads import WORKLOADS, objects_of

NAMES = ("mix", "spread-hard")
CYCLES = 10_000
CHUNK_CYCLES = 500
"""A worker writes a chunk every quarter of a second."""
KEYFRAME_CHUNKS = 4
READS = {"cold": 300, "warm": 1_500}
CHECKED = 50

Opener = Callable[[], ChunkStore]


def lines(nodes: int, cycles: int = CYCLES) -> Iterator[dict[str, Any]]:
    """A line per workload and kind of store. Raises ValueError where a matrix read is not the one recorded."""
    with TemporaryDirectory() as folder:
        stored = _database(folder)
        for number, name in enumerate(NAMES, start=1):
            store, session = recorded(name, nodes, cycles)
            check(name, store, session)
            for kind, opened in (("memory", lambda store=store: store), ("sqlite", stored(number, store))):
                figures = {"workload": f"reading-{name}-{kind}", "nodes": nodes, "cycles": session.cycle}
                yield figures | measure(opened, session.cycle)


def recorded(name: str, n_nodes: int, cycles: int) -> tuple[MemoryStore, RunSession]:
    """A recording of the workload with so many pods to schedule."""
    workload = WORKLOADS[name]
    objects = objects_of(workload, n_nodes, cycles)
    session = RunSession.start(RunInputs(objects=objects, seed=3, max_cycles=10 * cycles, policies=workload.policies))
    store = MemoryStore(session.initial_keyframe())
    done = False
    while not done:
        done = session.advance(max_cycles=CHUNK_CYCLES)
        store.add(session.cut_chunk(keyframe=len(store.chunks) % KEYFRAME_CHUNKS == 0))
    return store, session


def check(name: str, store: MemoryStore, session: RunSession) -> None:
    """Raises ValueError where one of some matrices has not the digest that was recorded with it."""
    reader, nodes = RecordingReader(store), NodesByName(session.simulation.recorder.state.nodes)
    digests = [e for _, e in reader.events(0, reader.head_seq()) if isinstance(e, ev.MatrixDigest)]
    for event in Random(5).sample(digests, min(CHECKED, len(digests))):
        frame = reader.frame(event.cycle)
        if frame is None or matrix_digest(frame, nodes) != event.digest:
            raise ValueError(f"{name}: the matrix of cycle {event.cycle} read back is another than the one recorded")


def measure(opened: Opener, n_cycles: int) -> dict[str, Any]:
    """Milliseconds (CPU) of reads by new readers and by one reader."""
    one = RecordingReader(opened())
    readers: dict[str, Callable[[], RecordingReader]] = {"cold": lambda: RecordingReader(opened()), "warm": lambda: one}
    measured: dict[str, Any] = {}
    for kind, reader in readers.items():
        random = Random(4)
        gc.collect()
        spent = [_read(reader, random.randint(1, n_cycles)) for _ in range(READS[kind])]
        for label, share in (("p50", 50), ("p99", 99), ("max", 100)):
            measured[f"{kind}_{label}_ms"] = round(float(np.percentile(spent, share)) * 1000, 2)
    return measured


def _read(reader: Callable[[], RecordingReader], cycle: int) -> float:
    """CPU seconds of one cycle's matrix."""
    started = time.process_time()
    frame = reader().frame(cycle)
    if frame is not None:
        rows = [frame.normalized(index) for index in range(len(frame.score_plugins))]
        _ = frame.codes, frame.reasons, frame.raw, rows, frame.totals()
    return time.process_time() - started


def _database(folder: str) -> Callable[[int, MemoryStore], Opener]:
    """Puts a recording into a new SQLite database as a run of the product; opens the product's store over it."""
    os.environ["SCHEDSCOPE_DATA"] = folder
    os.environ["DJANGO_SETTINGS_MODULE"] = "dashboard.settings"
    import django

    django.setup()
    from django.core.management import call_command

    from dashboard.runs.models import RecordingChunk
    from dashboard.runs.storage import batches, bulk
    from dashboard.runs.storage.recordings import DatabaseChunkStore

    call_command("migrate", verbosity=0)

    def stored(run_id: int, store: MemoryStore) -> Opener:
        bulk.insert(RecordingChunk, [batches._chunk_row(run_id, chunk) for chunk in store.chunks])
        batches.write_keyframe(run_id, batches.StoredKeyframe(0, 0, 0, store.initial))
        return lambda: opened(run_id)

    def opened(run_id: int) -> ChunkStore:
        store = DatabaseChunkStore(run_id)
        store.refresh()
        return store

    return stored


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--nodes", type=int, default=5_000)
    parser.add_argument("--cycles", type=int, default=CYCLES)
    options = parser.parse_args()
    for one in lines(options.nodes, options.cycles):
        print(json.dumps(one), flush=True)


if __name__ == "__main__":
    main()

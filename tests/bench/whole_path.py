"""A run through the whole product: launch, Celery, engine, recording, database, live socket, to the end.

``python -m tests.bench.whole_path [--nodes N] [--cycles N] [--database sqlite|postgresql]`` prints a JSON line per
database: 20 templates mixed, web process and one worker as the product starts them, one socket attached. `cpu` figures
are of the worker's process; `engine_alone` is the same inputs run by the engine in a process of its own, and
`overhead_us_per_cycle` what the whole path costs beyond it. Nothing is printed unless the run finished with a row for
each cycle, readable chunks and the recording hash of the command line's engine.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.bench.installation import INSTALLATIONS, Installation
from tests.bench.workloads import WORKLOADS, manifests_of

if TYPE_CHECKING:
    from collections.abc import Iterator

SEED = 3


def lines(nodes: int, cycles: int, databases: tuple[str, ...] = tuple(INSTALLATIONS)) -> Iterator[dict[str, Any]]:
    """Figures per database. Raises ValueError where what was stored is not what the engine makes of the inputs."""
    manifests = manifests_of(WORKLOADS["mix"], nodes, cycles)
    for name in databases:
        with INSTALLATIONS[name]() as installation:
            yield {"workload": f"whole path, {name}", "nodes": nodes, **_measured(installation, manifests, cycles)}


def _measured(installation: Installation, manifests: list[dict[str, Any]], cycles: int) -> dict[str, Any]:
    with installation.sockets(1) as received:
        started = installation.start_run(manifests, "--schedule", "pending", "--seed", str(SEED))
    stored = installation.question("tests.bench.stored")
    alone = engine_alone(installation.folder / "objects.json")
    if stored["hash"] != alone["hash"] or stored["cycles"] != alone["cycles"]:
        raise ValueError(f"the stored run {stored} is not that of the command line {alone}")
    if stored["cycles"] < cycles:
        raise ValueError(f"only {stored['cycles']} cycles")
    batches = json.loads(received.read_text())["sockets"][0]
    if batches[-1][2] + 1 != stored["events"]:
        raise ValueError("the socket did not get every event")
    segments = [segment for segment in installation.segments() if segment["run"] == started["id"]]
    return _figures(stored, alone, segments) | {"batches_received": len(batches)}


def _figures(stored: dict[str, Any], alone: dict[str, Any], segments: list[dict[str, Any]]) -> dict[str, Any]:
    n = stored["cycles"]
    cpu, wall = (sum(segment[clock] for segment in segments) for clock in ("cpu", "wall"))
    parts: dict[str, float] = {}
    database_wall = 0.0
    for segment in segments:
        database_wall += segment["parts"]["database"][1]
        for part, (seconds, _wall) in segment["parts"].items():
            parts[part] = parts.get(part, 0.0) + seconds
    without_inputs = cpu - parts["inputs"]
    return {
        "cycles": n,
        "cycles_per_second_wall": n / stored["launched_to_finished_s"],
        "cycles_per_second_cpu": n / cpu,
        "cycles_per_second_cpu_without_inputs": n / without_inputs,
        "engine_alone_cycles_per_second_cpu": n / alone["cpu"],
        "overhead_us_per_cycle": (without_inputs - alone["cpu"]) / n * 1e6,
        "launched_to_finished_s": stored["launched_to_finished_s"],
        "segment_wall_s": wall,
        "segment_cpu_s": cpu,
        "inputs_cpu_s": parts["inputs"],
        **{
            f"{part}_cpu_us_per_cycle": seconds / n * 1e6 for part, seconds in sorted(parts.items()) if part != "inputs"
        },
        "database_wall_us_per_cycle": database_wall / n * 1e6,
        "worker_peak_rss_mb": max(segment["peak_rss_mb"] for segment in segments),
        **{name: stored[name] for name in ("events", "chunks", "keyframes", "rows", "stored_bytes_per_cycle")},
    }


# ---------------------------------------------------------------- the engine alone


def engine_alone(objects: Path) -> dict[str, Any]:
    """{"hash" of the command line's run, "cycles", "cpu" seconds of the engine's steps alone}, each in a process."""
    options = [str(objects), "--schedule", "pending", "--seed", str(SEED)]
    printed = _json([sys.executable, "-m", "scheduler_core", "simulate", "--json", *options])
    cpu = _json([sys.executable, "-m", "tests.bench.whole_path", "--engine", str(objects)])["cpu"]
    return {"hash": printed["recording_hash"], "cycles": printed["cycles"], "cpu": cpu}


def _json(command: list[str]) -> dict[str, Any]:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise ValueError(done.stderr)
    return dict(json.loads(done.stdout))


def _engine_cpu(path: Path) -> float:
    """CPU seconds from the start of a session to its end, without reading the objects and without cutting chunks."""
    from dashboard.common.processes.gc_tuning import tune_gc
    from scheduler_core.manifests import ManifestSource, load_cluster
    from scheduler_core.simulate import RunInputs, RunSession

    inputs = RunInputs(
        objects=load_cluster([ManifestSource(str(path), path.read_bytes())]).objects, schedule="pending", seed=SEED
    )
    tune_gc()  # as in a worker
    started = time.process_time()
    RunSession.start(inputs).advance()
    return time.process_time() - started


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.whole_path", description=__doc__)
    parser.add_argument("--nodes", type=int, default=5_000)
    parser.add_argument("--cycles", type=int, default=10_000)
    parser.add_argument("--database", choices=sorted(INSTALLATIONS), action="append")
    parser.add_argument("--engine", type=Path, metavar="FILE", help="only run the engine on a file's objects")
    options = parser.parse_args(argv)
    if options.engine:
        print(json.dumps({"cpu": _engine_cpu(options.engine)}))
        return 0
    for line in lines(options.nodes, options.cycles, tuple(options.database or INSTALLATIONS)):
        print(json.dumps({k: round(v, 2) if isinstance(v, float) else v for k, v in line.items()}), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

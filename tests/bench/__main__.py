"""``python -m tests.bench [--workload NAME] [--nodes N] [--cycles N] [--part NAME] [--repeat N] [--no-cache]``

Prints one JSON line per workload, or the lines of a topic (what is around the engine: see TOPICS). Before a figure of
the engine is printed, the same run is made again by the engine that keeps nothing: its recording hash, which covers
every event and the whole matrix of every 97th cycle, must be the same, and each of these matrices, read back from the
stored chunks, must have the digest recorded; otherwise the exit status is 1. Rates are per second of the process's CPU
time, the median of the repeats.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any

from tests.bench.calibration import calibration
from tests.bench.engine import measure
from tests.bench.workloads import WORKLOADS

if TYPE_CHECKING:
    from collections.abc import Iterator

TOPICS = {
    "growth": ("tests.bench.growth", 3_000),
    "preemption-budgets": ("tests.bench.preemption", 1_000),
    "extenders": ("tests.bench.extenders", 300),
    "reading": ("tests.bench.reading", 10_000),
    "ingest": ("tests.bench.ingest", 0),
    "drafts": ("tests.bench.drafts", 0),
    "whole-path": ("tests.bench.whole_path", 10_000),
    "page": ("tests.bench.page", 10_000),
    "map": ("tests.bench.map", 10_000),
    "steps": ("tests.bench.steps", 10_000),
    "cluster-page": ("tests.bench.cluster_page", 50_000),
    "editor": ("tests.bench.editor", 50_000),
    "search": ("tests.bench.search", 10_000),
    "live": ("tests.bench.live", 10_000),
    "presence": ("tests.bench.presence", 3_000),
    "team": ("tests.bench.team", 5_000),
    "fit": ("tests.bench.fit", 0),
    "answers": ("tests.bench.answers", 10_000),
    "queries": ("tests.bench.queries", 10_000),
    "query-rows": ("tests.bench.query_rows", 10_000),
    "watches": ("tests.bench.watches", 10_000),
    "compare": ("tests.bench.compare", 10_000),
    "compare-page": ("tests.bench.compare_page", 10_000),
    "breakpoints": ("tests.bench.breakpoints", 3_000),
    "branches": ("tests.bench.branches", 10_000),
    "answer-worker": ("tests.bench.answer_worker", 10_000),
}
"""Modules with ``lines(nodes, cycles)``, and how many cycles unless said otherwise. Imported when wanted: some set
Django up."""
PARTS = {"answer-worker": ("round-trips", "soak", "answers", "pages", "turns")}
"""Topics of which parts can be measured alone: their ``lines`` takes ``parts`` as well."""


def main(argv: list[str]) -> int:
    """Exit status 0 with one JSON line per workload on standard output."""
    options = _options(argv)
    if not options.workload:  # each begins in a process that did nothing else
        names = [*WORKLOADS, *TOPICS]
        arguments = [sys.executable, "-m", "tests.bench", *argv, "--workload"]
        return max([subprocess.run([*arguments, name], check=False).returncode for name in names])
    measured = calibration()
    try:
        for line in _lines(options.workload, options):
            peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
            print(json.dumps({"peak_rss_mb": peak, **measured, **line}), flush=True)
    except ValueError as problem:
        print(problem, file=sys.stderr)
        return 1
    return 0


def _lines(name: str, options: argparse.Namespace) -> Iterator[dict[str, Any]]:
    if name in WORKLOADS:
        yield _line(name, options, options.cycles or WORKLOADS[name].cycles)
        return
    place, cycles = TOPICS[name]
    module = import_module(place)
    arguments = {"parts": options.part} if options.part else {}
    for line in module.lines(options.nodes or 5_000, options.cycles or cycles, **arguments):
        yield {key: round(value, 3) if isinstance(value, float) else value for key, value in line.items()}


def _line(name: str, options: argparse.Namespace, cycles: int) -> dict[str, Any]:
    """The median of the repeats; the first of them is checked, the others must leave the same recording."""
    cached = not options.no_cache
    nodes = options.nodes or WORKLOADS[name].nodes
    runs = [measure(name, nodes, cycles, cached=cached, checked=cached and i == 0) for i in range(options.repeat)]
    if len({run["recording_hash"] for run in runs}) > 1:
        raise ValueError(f"{name}: repeats leave different recordings")
    median_run = sorted(runs, key=lambda run: float(run["cycles_per_second_scaled"]))[len(runs) // 2]
    median_run["checked_cycles"] = runs[0]["checked_cycles"]
    figures = {key: round(value, 1) if _is_rate(key, value) else value for key, value in median_run.items()}
    rates = [round(run["cycles_per_second"], 1) for run in runs]
    return {"workload": name, "nodes": nodes, "cache": cached, **figures, "rates": rates}


def _is_rate(key: str, value: Any) -> bool:
    return isinstance(value, float) and not key.startswith("calibration")


def _options(argv: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__)
    parser.add_argument("--workload", choices=sorted([*WORKLOADS, *TOPICS]))
    parser.add_argument("--nodes", type=int, help="default: 5,000, or as many as the workload is defined with")
    parser.add_argument("--cycles", type=int, help="pods to schedule; default: as many as the workload is defined with")
    parser.add_argument(
        "--part", action="append", default=[], help=f"of answer-worker: {', '.join(PARTS['answer-worker'])}; repeatable"
    )
    parser.add_argument("--repeat", type=int, default=1)
    parser.add_argument("--no-cache", action="store_true", help="measure the engine that keeps nothing between cycles")
    options = parser.parse_args(argv)
    parts = PARTS.get(options.workload, ())
    if wrong := [part for part in options.part if part not in parts]:
        parser.error(f"--part {wrong[0]}: parts of {options.workload} are {', '.join(parts) or 'none'}")
    return options


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

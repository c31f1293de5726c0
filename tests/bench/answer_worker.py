"""What questions to answer workers cost (python -m tests.bench.answer_worker [--part NAME]): five parts.

`round-trips` are milliseconds of a question that the worker answers at once, asked by a process of its own, in both
set-ups. `soak` asks 1,000 questions about 20 runs of an embedded worker whose memory is limited, and looks at the size
of its process after each; the runs have a tenth of the nodes and cycles. `answers` are questions about one large run:
`remedies_cold`, of a cycle that nobody asked about before, so that its state is restored; `remedies_warm`, of a cycle
whose state is kept (why preemption did not help was asked before); `room`, which tries nothing; `first`, the worker's
first question, for which it reads the inputs. `pages` (answer_pages.py) are of the same run, which is recorded once.
`turns` (turn_questions.py) asks short questions as several people, alone and beside somebody with many threads, in
both set-ups; its runs have a twentieth of the cycles.

All is wall time of this machine at that moment, `*_scaled` at the reference's calibration. What has a target is told
as a table on standard error.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any

from dashboard.common.processes.supervisor import answers_command
from tests.bench.answer_pages import pages, scaled
from tests.bench.installation import INSTALLATIONS, Installation
from tests.bench.targets import Target, target_rows
from tests.dashboard.run_helpers import node, pod
from tests.faults.processes import process

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Iterator, Sequence

PARTS = ("round-trips", "soak", "answers", "pages", "turns")
RUNS, QUESTIONS = 20, 1_000
ROUND_TRIPS = 500
COLD, WARM = 30, 60
PEOPLE, ASKED_EACH, HOG_THREADS = 10, 6, 12
SOAK_BYTES, LONG_SECONDS = 256 * 1024 * 1024, 3_600.0
REFUSED_EVERY = 50
WORKERS = {
    "sqlite": answers_command(),
    "postgresql": [
        *(sys.executable, "-m", "celery", "--quiet", "-A", "dashboard", "worker"),
        *("--queues", "answers", "--concurrency", "1", "--loglevel", "WARNING"),
    ],
}
TARGETS = {
    "round-trips": (Target("computed_ms_p95", "a question there and back, p95 ms", 20),),
    "soak": (Target("resident_mb_max", "most memory of the worker, MiB", SOAK_BYTES / 2**20),),
    "answers": (
        Target("remedies_warm_ms_p95", "verified remedies, state kept, p95 ms", 1_000),
        Target("remedies_cold_ms_p95", "verified remedies, state restored, p95 ms", 6_000),
    ),
    "turns": (Target("beyond_ms_p95", "short beside a hog, p95 ms over twice that alone", 1_000),),
    "pages": (
        Target("why_ms_p95", "Why page without trials, p95 ms", 150),
        Target("alone_ms_p95", "step to any cycle, alone, p95 ms", 300),
        Target("beside_ten_ms_p95", "step to any cycle, beside ten people, p95 ms", 300),
    ),
}


def lines(nodes: int, cycles: int, parts: Sequence[str] = PARTS) -> Iterator[dict[str, Any]]:
    """Yield a line of figures per measurement of the parts. Raises ValueError where a question gets no answer."""
    if "round-trips" in parts:
        for set_up in INSTALLATIONS:
            with _timed(f"round trips, {set_up}"), _installation(set_up) as (installation, _):
                figures = installation.question("tests.bench.answer_questions", "round-trips", str(ROUND_TRIPS))
            yield _told("round-trips", {"workload": f"answers, round trips, {set_up}", **scaled(figures)})
    if "soak" in parts:
        with _timed("soak"):
            figures = _soak(max(nodes // 10, 10), max(cycles // 10, 10))
        yield _told("soak", figures)
    if "turns" in parts:
        for set_up in INSTALLATIONS:
            yield _told("turns", _turns(set_up, nodes, max(cycles // 20, 10)))
    if "answers" in parts or "pages" in parts:
        yield from _of_one_run(nodes, cycles, parts)


def _soak(nodes: int, cycles: int) -> dict[str, Any]:
    with _installation("sqlite", SCHEDSCOPE_ANSWERS_MAX_BYTES=str(SOAK_BYTES)) as (installation, worker):
        with _timed(f"{RUNS} runs"):
            _record(installation, nodes, cycles)
            installation.question("tests.bench.answer_questions", "repeat", str(RUNS), seconds=LONG_SECONDS)
        arguments = ("soak", str(worker.pid), str(SOAK_BYTES), str(QUESTIONS))
        figures = installation.question("tests.bench.answer_questions", *arguments, seconds=LONG_SECONDS)
    return {"workload": "answers, soak", "nodes": nodes, "cycles": cycles, **scaled(figures)}


def _turns(set_up: str, nodes: int, cycles: int) -> dict[str, Any]:
    with _installation(set_up) as (installation, _):
        with _timed("recording the run"):
            _record(installation, nodes, cycles)
        with _timed(f"turns, {set_up}"):
            numbers = map(str, (PEOPLE, ASKED_EACH, HOG_THREADS))
            figures = installation.question("tests.bench.turn_questions", *numbers, seconds=LONG_SECONDS)
    figures["beyond_ms_p95"] = figures["short_beside_ms_p95"] - 2 * figures["short_alone_ms_p95"]
    sizes = {"nodes": nodes, "cycles": cycles}
    return {"workload": f"answers, turns, {set_up}", **sizes, **scaled(figures)}


def _of_one_run(nodes: int, cycles: int, parts: Sequence[str]) -> Iterator[dict[str, Any]]:
    """What is asked of one large run. Raises as `lines`."""
    sizes = {"nodes": nodes, "cycles": cycles}
    with _installation("sqlite") as (installation, worker):
        with _timed("recording the run"):
            started = _record(installation, nodes, cycles)
        if "answers" in parts:
            with _timed("answers"):
                arguments = ("answers", str(worker.pid), str(COLD), str(WARM))
                figures = installation.question("tests.bench.answer_questions", *arguments, seconds=LONG_SECONDS)
            yield _told("answers", {"workload": "answers, one run", **sizes, **scaled(figures)})
        if "pages" in parts:
            with _timed("pages"):
                refused = installation.question("tests.bench.answer_questions", "refused")["cycles"]
                figures = pages(installation, started["workspace"], refused)
            yield _told("pages", {"workload": "answers, pages", **sizes, **scaled(figures)})


@contextmanager
def _installation(set_up: str, **environment: str) -> Iterator[tuple[Installation, subprocess.Popen[bytes]]]:
    with ExitStack() as stack:
        installation = stack.enter_context(INSTALLATIONS[set_up]())
        environment = installation.environment | environment
        yield installation, stack.enter_context(process(environment, WORKERS[set_up], installation.log))


def _record(installation: Installation, nodes: int, cycles: int) -> dict[str, Any]:
    """A run of so many pods, one in REFUSED_EVERY larger than any node; what its start said of it."""
    manifests = [node(f"node-{n}", str(4 + n % 7)) for n in range(nodes)]
    wide = range(0, cycles, REFUSED_EVERY)
    manifests += [pod(f"wide-{n}", str(16 + n % 40)) if n in wide else pod(f"small-{n}", "100m") for n in range(cycles)]
    started = installation.start_run(manifests, "--wait", "600")
    if started["state"] != "finished":
        raise ValueError(f"the run is {started['state']}:\n{installation.log.read_text()}")
    return started


@contextmanager
def _timed(what: str) -> Iterator[None]:
    began = time.monotonic()
    yield
    _tell(f"{what}: {time.monotonic() - began:.0f} s")


def _told(part: str, line: dict[str, Any]) -> dict[str, Any]:
    """The line, its figures that have a target told as a table as well."""
    _tell("\n".join([f"{line['workload']}, load {os.getloadavg()[0]:.0f}", *target_rows(TARGETS[part], line)]))
    return line


def _tell(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def main(argv: list[str]) -> None:
    """Print a JSON line per measurement, and tables on standard error."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.answer_worker", description=__doc__)
    parser.add_argument("--part", choices=PARTS, action="append")
    parser.add_argument("--nodes", type=int, default=5_000)
    parser.add_argument("--cycles", type=int, default=10_000)
    options = parser.parse_args(argv)
    for line in lines(options.nodes, options.cycles, options.part or PARTS):
        print(json.dumps(line), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])

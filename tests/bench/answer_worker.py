"""What questions to answer workers cost (python -m tests.bench.answer_worker): round trips, a soak, answers, pages.

`round trips` are milliseconds of a question that the worker answers at once, asked by a process of its own, in both
set-ups. `soak` asks 1,000 questions about 20 runs of an embedded worker whose memory is limited, and looks at the size
of its process after each. `answers` are questions about one large run: `remedies_cold`, of a cycle that nobody asked
about before, so that its state is restored; `remedies_warm`, of a cycle whose state is kept (why preemption did not
help was asked before); `room`, which tries nothing; `first`, the worker's first question, for which it reads the
inputs. `pages`: see answer_pages.py.

All is wall time of this machine at that moment, `*_scaled` at the reference's calibration.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dashboard.common.processes.supervisor import answers_command
from tests.bench.answer_pages import pages, percentiles, scaled
from tests.bench.installation import INSTALLATIONS, Installation
from tests.dashboard.run_helpers import node, pod
from tests.faults.processes import process

if TYPE_CHECKING:
    from dashboard.answers.questions import Question
    from dashboard.runs.models import Run

RUNS, QUESTIONS, REMEDIES_SHARE = 20, 1_000, 0.15
SOAK_BYTES, SOAK_SECONDS = 256 * 1024 * 1024, 3_600.0
REFUSED_EVERY = 50
ROUND_TRIPS = 500
COLD, WARM = 30, 60
LATE_SECONDS = 50.0
WORKERS = {
    "sqlite": answers_command(),
    "postgresql": [
        *(sys.executable, "-m", "celery", "--quiet", "-A", "dashboard", "worker"),
        *("--queues", "answers", "--concurrency", "1", "--loglevel", "WARNING"),
    ],
}


def lines(nodes: int, cycles: int) -> Iterator[dict[str, Any]]:
    """Yield a line of figures per measurement. Raises ValueError where a question gets no answer."""
    for set_up in INSTALLATIONS:
        with _installation(set_up) as (installation, _):
            found = installation.question("tests.bench.answer_worker", "round-trips")
            yield {"workload": f"answers, round trips, {set_up}", **scaled(found)}
    with _installation("sqlite", SCHEDSCOPE_ANSWERS_MAX_BYTES=str(SOAK_BYTES)) as (installation, worker):
        size = max(nodes // 10, 10), max(cycles // 10, 10)
        for seed in range(RUNS):
            _record(installation, *size, "--seed", str(seed))
        found = installation.question("tests.bench.answer_worker", "soak", str(worker.pid), seconds=SOAK_SECONDS)
        yield {"workload": "answers, soak", "nodes": size[0], "cycles": size[1], **scaled(found)}
    with _installation("sqlite") as (installation, worker):
        started, sizes = _record(installation, nodes, cycles), {"nodes": nodes, "cycles": cycles}
        found = installation.question("tests.bench.answer_worker", "answers", str(worker.pid))
        yield {"workload": "answers, one run", **sizes, **scaled(found)}
        refused = installation.question("tests.bench.answer_worker", "refused")["cycles"]
        yield {"workload": "answers, pages", **sizes, **scaled(pages(installation, started["workspace"], refused))}


@contextmanager
def _installation(set_up: str, **environment: str) -> Iterator[tuple[Installation, subprocess.Popen[bytes]]]:
    with ExitStack() as stack:
        installation = stack.enter_context(INSTALLATIONS[set_up]())
        environment = installation.environment | environment
        yield installation, stack.enter_context(process(environment, WORKERS[set_up], installation.log))


def _record(installation: Installation, nodes: int, cycles: int, *words: str) -> dict[str, Any]:
    """A run of so many pods, one in REFUSED_EVERY larger than any node; what its start said of it."""
    manifests = [node(f"node-{n}", str(4 + n % 7)) for n in range(nodes)]
    wide = range(0, cycles, REFUSED_EVERY)
    manifests += [pod(f"wide-{n}", str(16 + n % 40)) if n in wide else pod(f"small-{n}", "100m") for n in range(cycles)]
    started = installation.start_run(manifests, "--wait", "600", *words)
    if started["state"] != "finished":
        raise ValueError(f"the run is {started['state']}:\n{installation.log.read_text()}")
    return started


# ---------------------------------------------------------------- in a process of the installation


def _round_trips() -> dict[str, Any]:
    """Questions about a run that is not there: the worker looks into the database and answers."""
    import msgspec

    from dashboard.answers import asking
    from dashboard.answers.messages import Ask, Request

    transport = asking._transport()

    def once(n: int) -> float:
        request = Request(f"round-{n}", 0, 0, msgspec.Raw(b'{"question":"remedies","cycle":1}'), True)
        began = time.perf_counter()
        while transport(Ask(request, "bench", 60.0, 10.0)).reply is None:
            time.sleep(0.05)
        return 1000 * (time.perf_counter() - began)

    once(-1)  # The worker starts.
    computed, kept = [once(n) for n in range(ROUND_TRIPS)], [once(0) for _ in range(ROUND_TRIPS)]
    return percentiles("computed", computed) | percentiles("kept", kept)


def _answered(run: Run, question: Question) -> tuple[float, bool]:
    """Milliseconds until the answer, however late, and whether it is partial. Raises ValueError without one."""
    from dashboard.answers.asking import ask, deadline_of
    from dashboard.answers.outcomes import Answer, Failed

    began, found, deadline = time.perf_counter(), None, deadline_of(question) + LATE_SECONDS
    while not isinstance(found, Answer):
        found = ask(run, question, deadline, asker="bench", patience=10.0)
        if isinstance(found, Failed) or time.time() > deadline:
            raise ValueError(f"{question}: {found}")
    return 1000 * (time.perf_counter() - began), found.is_partial


def _refused(run: Run) -> list[int]:
    from dashboard.runs.models import Cycle

    return list(Cycle.objects.filter(run_id=run.pk, outcome="unschedulable").values_list("number", flat=True))


def _resident_mb(worker: int) -> float:
    return int(Path(f"/proc/{worker}/statm").read_text().split()[1]) * 4096 / 2**20


def _soak(worker: int) -> dict[str, Any]:
    from dashboard.answers.questions import NoPreemption, RemediesOf
    from dashboard.runs.models import Run

    runs, chance = list(Run.objects.select_related("head").order_by("pk")), random.Random(7)
    cycles = {run.pk: _refused(run) for run in runs}
    spent: dict[str, list[float]] = {}
    sizes, partial = [], 0
    for _ in range(QUESTIONS):
        run = chance.choice(runs)
        kind = RemediesOf if chance.random() < REMEDIES_SHARE else NoPreemption
        question = kind(chance.choice(cycles[run.pk]))
        milliseconds, is_partial = _answered(run, question)
        partial += is_partial
        spent.setdefault(question.name.replace("-", "_"), []).append(milliseconds)
        sizes.append(_resident_mb(worker))
    found: dict[str, Any] = {"runs": len(runs), "questions": QUESTIONS, "partial": partial}
    found |= {"limit_mb": SOAK_BYTES / 2**20, "resident_mb_first": sizes[0], "resident_mb_max": max(sizes)}
    for name, each in spent.items():
        found |= percentiles(name, each)
    return found


def _answers(worker: int) -> dict[str, Any]:
    """Cold, warm and without trials, of cycles in random order. Each question is asked once."""
    from dashboard.answers.questions import NoPreemption, RemediesOf, RoomTaken
    from dashboard.runs.models import Run

    run = Run.objects.select_related("head").get()
    refused = random.Random(11).sample(cycles := _refused(run), len(cycles))
    n_cold = min(COLD, len(refused) // 3)
    first, cold, warm = refused[0], refused[1 : 1 + n_cold], refused[1 + n_cold : 1 + n_cold + WARM]
    if not cold:
        raise ValueError(f"{len(refused)} cycles that found no node are too few to ask about")
    spent: dict[str, list[float]] = {"first": [_answered(run, RemediesOf(first))[0]]}
    partial = 0
    for kind, name, asked in ((RemediesOf, "remedies_cold", cold), (RemediesOf, "remedies_warm", warm)):
        for cycle in asked:
            if name == "remedies_warm":
                spent.setdefault("no_preemption_cold", []).append(_answered(run, NoPreemption(cycle))[0])
            milliseconds, is_partial = _answered(run, kind(cycle))
            spent.setdefault(name, []).append(milliseconds)
            partial += is_partial
    spent["room"] = [_answered(run, RoomTaken(cycle))[0] for cycle in warm]
    found: dict[str, Any] = {"remedies_partial": partial, "resident_mb": _resident_mb(worker)}
    for name, each in spent.items():
        found |= percentiles(name, each)
    return found


def _refused_cycles() -> dict[str, Any]:
    from dashboard.runs.models import Run

    return {"cycles": _refused(Run.objects.get())}


def main(argv: list[str]) -> None:
    """Print a JSON line per measurement; with a word, what is measured in a process of the installation."""
    parts: dict[str, Callable[..., dict[str, Any]]] = {
        "round-trips": _round_trips,
        "soak": _soak,
        "answers": _answers,
        "refused": _refused_cycles,
    }
    parser = argparse.ArgumentParser(prog="python -m tests.bench.answer_worker", description=__doc__)
    parser.add_argument("part", nargs="?", choices=parts)
    parser.add_argument("words", nargs="*", type=int)
    parser.add_argument("--nodes", type=int, default=5_000)
    parser.add_argument("--cycles", type=int, default=10_000)
    options = parser.parse_args(argv)
    if options.part:
        import django

        django.setup()
        print(json.dumps(parts[options.part](*options.words)))
    else:
        for line in lines(options.nodes, options.cycles):
            print(json.dumps(line), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])

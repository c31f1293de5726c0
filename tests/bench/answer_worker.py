"""What questions to answer workers cost (python -m tests.bench.answer_worker): round trips, a soak, pages beside them.

Round trips are wall-clock milliseconds of a question that the worker answers at once, asked by a process of its own,
in both set-ups. The soak asks 1,000 questions about 20 runs of an embedded worker whose memory is limited, and looks at
the size of its process after each. Pages are steps of a run asked over HTTP, alone and while ten people ask.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from dashboard.common.processes.supervisor import answers_command
from tests.bench.installation import INSTALLATIONS, Installation
from tests.dashboard.run_helpers import node, pod
from tests.faults.processes import process

RUNS, QUESTIONS, REMEDIES_SHARE = 20, 1_000, 0.15
SOAK_BYTES = 256 * 1024 * 1024
REFUSED = 40
ROUND_TRIPS = 500
PEOPLE, STEPS, READ_SECONDS = 10, 60, 1.0
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
            yield {"workload": f"answers, round trips, {set_up}", **found}
    with _installation("sqlite", SCHEDSCOPE_ANSWERS_MAX_BYTES=str(SOAK_BYTES)) as (installation, worker):
        size = max(nodes // 10, 10), max(cycles // 10, 10)
        for seed in range(RUNS):
            _record(installation, *size, "--seed", str(seed))
        found = installation.question("tests.bench.answer_worker", "soak", str(worker.pid))
        yield {"workload": "answers, soak", "nodes": size[0], "cycles": size[1] + REFUSED, **found}
    with _installation("sqlite") as (installation, _):
        started = _record(installation, nodes, cycles)
        yield {"workload": "answers, pages", "nodes": nodes, **_pages(installation, started["workspace"], cycles)}


@contextmanager
def _installation(set_up: str, **environment: str) -> Iterator[tuple[Installation, subprocess.Popen[bytes]]]:
    with ExitStack() as stack:
        installation = stack.enter_context(INSTALLATIONS[set_up]())
        environment = installation.environment | environment
        yield installation, stack.enter_context(process(environment, WORKERS[set_up], installation.log))


def _record(installation: Installation, nodes: int, cycles: int, *words: str) -> dict[str, Any]:
    """A run that binds so many pods and refuses some; what its start said of it."""
    manifests = [node(f"node-{n}", str(4 + n % 7)) for n in range(nodes)]
    manifests += [pod(f"small-{n}", "100m") for n in range(cycles)]
    manifests += [pod(f"wide-{n}", str(16 + n)) for n in range(REFUSED)]
    started = installation.start_run(manifests, "--wait", "600", *words)
    if started["state"] != "finished":
        raise ValueError(f"the run is {started['state']}:\n{installation.log.read_text()}")
    return started


def _percentiles(name: str, milliseconds: list[float]) -> dict[str, float]:
    p50, p95 = np.percentile(np.array(milliseconds), [50, 95])
    return {f"{name}_ms_p50": float(p50), f"{name}_ms_p95": float(p95)}


# ---------------------------------------------------------------- in a process of the installation


def _round_trips() -> dict[str, Any]:
    """Questions about a run that is not there: the worker looks into the database and answers."""
    import msgspec

    from dashboard.answers import asking
    from dashboard.answers.messages import Ask, Request

    transport = asking._transport()

    def once(n: int) -> float:
        request = Request(f"round-{n}", 0, 0, msgspec.Raw(b'{"question":"room","cycle":1}'), True)
        began = time.perf_counter()
        while transport(Ask(request, "bench", 60.0, 10.0)).reply is None:
            time.sleep(0.05)
        return 1000 * (time.perf_counter() - began)

    once(-1)  # The worker starts.
    computed, kept = [once(n) for n in range(ROUND_TRIPS)], [once(0) for _ in range(ROUND_TRIPS)]
    return _percentiles("computed", computed) | _percentiles("kept", kept)


def _soak(worker: int) -> dict[str, Any]:
    from dashboard.answers.asking import ask, deadline_of
    from dashboard.answers.outcomes import Answer, Failed
    from dashboard.answers.questions import RemediesOf, RoomTaken
    from dashboard.runs.models import Cycle, Run

    runs, chance = list(Run.objects.select_related("head").order_by("pk")), random.Random(7)
    cycles = {
        run.pk: list(Cycle.objects.filter(run_id=run.pk, outcome="unschedulable").values_list("number", flat=True))
        for run in runs
    }
    spent: dict[str, list[float]] = {"room": [], "remedies": []}
    sizes, partial = [], 0
    for _ in range(QUESTIONS):
        run = chance.choice(runs)
        kind = RemediesOf if chance.random() < REMEDIES_SHARE else RoomTaken
        question, began = kind(chance.choice(cycles[run.pk])), time.perf_counter()
        found, deadline = None, deadline_of(question) + 50
        while not isinstance(found, Answer):
            found = ask(run, question, deadline, asker="bench", patience=10.0)
            if isinstance(found, Failed) or time.time() > deadline:
                raise ValueError(f"{question}: {found}")
        partial += found.is_partial
        spent[question.name].append(1000 * (time.perf_counter() - began))
        sizes.append(int(Path(f"/proc/{worker}/statm").read_text().split()[1]) * 4096 / 2**20)
    return {
        "runs": len(runs),
        "questions": QUESTIONS,
        "partial": partial,
        "limit_mb": SOAK_BYTES / 2**20,
        "resident_mb_first": sizes[0],
        "resident_mb_p50": float(np.median(sizes)),
        "resident_mb_max": max(sizes),
        **_percentiles("room", spent["room"]),
        **_percentiles("remedies", spent["remedies"]),
    }


# ---------------------------------------------------------------- pages


def _pages(installation: Installation, workspace: str, cycles: int) -> dict[str, Any]:
    """Steps of a page alone, then while ten people ask who took the room before other cycles, each until the answer."""
    base, chance = f"{installation.origin}/w/{workspace}/runs/1/", random.Random(5)
    get = _getter(installation.cookie)

    def steps() -> list[float]:
        found = []
        for _ in range(STEPS):
            began = time.perf_counter()
            get(f"{base}?cycle={chance.randint(2, cycles)}&tab=why", "main")
            found.append(1000 * (time.perf_counter() - began))
        return found

    get(base + "?cycle=1", "")
    steps()
    alone = steps()
    words = [sys.executable, "-m", "tests.bench.answer_worker", "people", base, installation.cookie, str(cycles)]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stdin=subprocess.PIPE, text=True) as people:
        assert people.stdout is not None
        people.stdout.readline()  # They have begun.
        beside = steps()
        out, _ = people.communicate("stop\n")
    return _percentiles("alone", alone) | _percentiles("beside_ten", beside) | json.loads(out.splitlines()[-1])


def _getter(cookie: str) -> Callable[[str, str], str]:
    def get(url: str, target: str) -> str:
        headers = {"Cookie": f"schedscope_session={cookie}"}
        headers |= {"HX-Request": "true", "HX-Target": target} if target else {}
        with urllib.request.urlopen(urllib.request.Request(url, headers=headers), timeout=60) as response:
            return str(response.read().decode())

    return get


def _people(base: str, cookie: str, cycles: int) -> dict[str, Any]:
    """Ten people who ask, read the answer for a second and ask something else, until told to stop."""
    get, stopping, spent = _getter(cookie), threading.Event(), []

    def ask(chance: random.Random) -> None:
        while not stopping.is_set():
            began, url = time.perf_counter(), f"{base}answers/room/?cycle={cycles + chance.randint(1, REFUSED)}"
            until = int((time.time() + 30) * 1000)
            while 'class="side-l"' not in get(f"{url}&until={until}&asker={id(chance)}", "") and not stopping.is_set():
                time.sleep(0.02)
            spent.append(1000 * (time.perf_counter() - began))
            stopping.wait(READ_SECONDS)

    threads = [threading.Thread(target=ask, args=(random.Random(n),)) for n in range(PEOPLE)]
    for thread in threads:
        thread.start()
    print("begun", flush=True)
    sys.stdin.readline()
    stopping.set()
    for thread in threads:
        thread.join()
    return {"people": PEOPLE, "asked": len(spent), **_percentiles("asked", spent)}


def main(argv: list[str]) -> None:
    """Print a JSON line per measurement; with a word, what is measured in a process of the installation."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.answer_worker", description=__doc__)
    parser.add_argument("part", nargs="?", choices=("round-trips", "soak", "people"))
    parser.add_argument("words", nargs="*")
    parser.add_argument("--nodes", type=int, default=5_000)
    parser.add_argument("--cycles", type=int, default=10_000)
    options = parser.parse_args(argv)
    if options.part == "people":
        base, cookie, cycles = options.words
        print(json.dumps(_people(base, cookie, int(cycles))))
    elif options.part:
        import django

        django.setup()
        print(json.dumps(_round_trips() if options.part == "round-trips" else _soak(int(options.words[0]))))
    else:
        for line in lines(options.nodes, options.cycles):
            print(json.dumps(line), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])

"""Pages of a run over HTTP while people ask an answer worker, measured for answer_worker.py.

`why` is the Why page of a refused cycle without trials, while no page has read the inputs in the web process, so that
the worker says what stood against the pod; `first_page` is the first of all pages. `alone` are steps of the debugger to
random cycles with tab Why, `beside_ten` the same while ten people ask for remedies, each reading for a second;
`asked` is what these wait for an answer.
"""

from __future__ import annotations

import html
import json
import random
import re
import subprocess
import sys
import threading
import time
import urllib.request
from typing import TYPE_CHECKING, Any

import numpy as np

from tests.bench.calibration import REFERENCE_CPYTHON_S, calibration_cpython_s

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.bench.installation import Installation

PEOPLE, STEPS, WARM_UP, READ_SECONDS = 10, 60, 20, 1.0
AGAIN = re.compile(r'hx-get="([^"]+)"\s+hx-trigger="load')
_MILLISECONDS = re.compile(r"_ms_p\d+$")


def percentiles(name: str, milliseconds: list[float]) -> dict[str, float]:
    """The median and the 95th percentile, as `NAME_ms_p50` and `NAME_ms_p95`."""
    p50, p95 = np.percentile(np.array(milliseconds), [50, 95])
    return {f"{name}_ms_p50": float(p50), f"{name}_ms_p95": float(p95)}


def scaled(figures: dict[str, Any]) -> dict[str, Any]:
    """The figures, those of milliseconds also at the reference's calibration, which is measured here."""
    scale = REFERENCE_CPYTHON_S / calibration_cpython_s()
    times = {name: value for name, value in figures.items() if _MILLISECONDS.search(name)}
    return figures | {f"{name}_scaled": value * scale for name, value in times.items()}


def pages(installation: Installation, workspace: str, refused: list[int]) -> dict[str, Any]:
    """Times of pages of the workspace's first run; `refused` are cycles that found no node."""
    base, chance = f"{installation.origin}/w/{workspace}/runs/1/", random.Random(5)
    get = getter(installation.cookie)

    def timed(urls: list[str]) -> list[float]:
        all_figures = []
        for url in urls:
            began = time.perf_counter()
            get(url, "main")
            all_figures.append(1000 * (time.perf_counter() - began))
        return all_figures

    def some(path: str, count: int) -> list[str]:
        return [base + path.format(cycle) for cycle in chance.choices(refused, k=count)]

    all_figures = percentiles("first_page", timed([f"{base}why/?cycle={refused[0]}"]))
    timed(some("why/?cycle={}", 1))
    all_figures |= percentiles("why", timed(some("why/?cycle={}", STEPS)))
    timed(some("?cycle={}&tab=why", WARM_UP))
    all_figures |= percentiles("alone", timed(some("?cycle={}&tab=why", STEPS)))
    arguments = [sys.executable, "-m", "tests.bench.answer_pages", base, installation.cookie, json.dumps(refused)]
    with subprocess.Popen(arguments, stdout=subprocess.PIPE, stdin=subprocess.PIPE, text=True) as people:
        assert people.stdout is not None
        people.stdout.readline()  # They have begun.
        all_figures |= percentiles("beside_ten", timed(some("?cycle={}&tab=why", STEPS)))
        out, _ = people.communicate("stop\n")
    return all_figures | json.loads(out.splitlines()[-1])


def getter(cookie: str) -> Callable[[str, str], str]:
    """A function that gets (url, target of htmx or "") with a session's cookie; anything but success raises."""

    def get(url: str, target: str) -> str:
        headers = {"Cookie": f"schedscope_session={cookie}"}
        headers |= {"HX-Request": "true", "HX-Target": target} if target else {}
        with urllib.request.urlopen(urllib.request.Request(url, headers=headers), timeout=60) as response:
            return str(response.read().decode())

    return get


def _people(base: str, cookie: str, refused: list[int]) -> dict[str, Any]:
    """Ten people who ask, read the answer for a second and ask something else, until told to stop."""
    get, stopping = getter(cookie), threading.Event()
    spent: list[float] = []
    late: list[str] = []
    origin = "/".join(base.split("/")[:3])

    def ask(chance: random.Random) -> None:
        while not stopping.is_set():
            began, url = time.perf_counter(), f"{base}answers/remedies/?cycle={chance.choice(refused)}"
            while (again := AGAIN.search(body := get(url, ""))) and not stopping.is_set():
                url = origin + html.unescape(again[1])
            if "No answer within" in body:
                late.append(url)
            elif not again:
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
    return {"people": PEOPLE, "asked": len(spent), "late": len(late), **percentiles("asked", spent or [float("nan")])}


if __name__ == "__main__":
    print(json.dumps(_people(sys.argv[1], sys.argv[2], json.loads(sys.argv[3]))))

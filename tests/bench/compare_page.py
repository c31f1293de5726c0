"""How long the page that compares two large runs takes (python -m tests.bench --workload compare-page).

Two runs of the mix with other seeds are in a database; a thread answers questions as the embedded worker does, so that
figures are those of web server and worker together. `first_view_s` is the first request about two runs of which the
worker has the inputs at most: both rows of attempts and both decisions. `whole_s` is how long it is until where they
part, pods and figures are there as well, of TIMES with the inputs read anew; `step_s` a step of both cursors, `page_s`
another page of the list, both p95 of STEPS. Wall time; `*_scaled` are divided by how much slower than the reference's
machine the CPython loop ran.
"""

from __future__ import annotations

import html
import re
import threading
import time
from typing import TYPE_CHECKING, Any

import numpy as np

from tests.bench.calibration import REFERENCE_CPYTHON_S, calibration_cpython_s

if TYPE_CHECKING:
    from collections.abc import Iterator

    from django.test import Client

    from dashboard.answers.messages import Ask, AskResult
    from dashboard.answers.transport.board import Board

TIMES, STEPS = 3, 30
AGAIN = re.compile(r'hx-get="([^"]+)"\s+hx-trigger="load')
NEXT = re.compile(r'href="([^"]+)"\s+data-move\s+data-key="F10"')


_boards: list[Board] = []


def ask(asked: Ask) -> AskResult:
    """The transport: a board of this process."""
    return _boards[0].ask(asked)


def lines(nodes: int, cycles: int) -> Iterator[dict[str, Any]]:
    """One line. Raises ValueError where the page lacks what two seeds must differ in."""
    from tests.bench import recorded
    from tests.bench.breakpoints import revision_of_mix

    member, revision = revision_of_mix(recorded, nodes, cycles)
    from dashboard.runs import actions, execution

    for seed in (3, 4):
        actions.create_run(member, actions.Launch(revision, schedule="pending", seed=seed))
        while execution.work():
            pass
    runs = [actions.find_run(member.workspace, number) for number in (1, 2)]
    if any(run.state != "finished" for run in runs):
        raise ValueError([run.error for run in runs])
    stopping = _begin_answering()
    client, url = recorded.client_of(member.user), f"/w/{member.workspace.slug}/compare/?a=1&b=2"
    firsts, wholes = zip(*(_first(client, url) for _ in range(TIMES)), strict=True)
    figures = {
        "first_view_s": max(firsts),
        "whole_s_max": max(wholes),
        "whole_s_min": min(wholes),
        "step_s": _p95(_steps(client, url)),
        "page_s": _p95([_timed(client, f"{url}&page={2 + n % 40}")[0] for n in range(STEPS)]),
    }
    stopping.set()
    slower = calibration_cpython_s() / REFERENCE_CPYTHON_S
    scaled = {f"{name}_scaled": value / slower for name, value in figures.items()}
    events = [run.head.seq for run in runs]
    yield (
        {"workload": "compare-page", "nodes": nodes, "cycles": runs[0].head.cycle, "events": events} | figures | scaled
    )


def _begin_answering() -> threading.Event:
    from django.conf import settings

    from dashboard.answers.tasks import answer
    from dashboard.answers.transport.board import Board

    settings.ANSWERS_TRANSPORT = "tests.bench.compare_page.ask"
    _boards.append(Board(answer))
    stopping = threading.Event()
    threading.Thread(target=_boards[0].work, args=(stopping,), daemon=True).start()
    return stopping


def _first(client: Client, url: str) -> tuple[float, float]:
    """Return seconds of the first request and until all parts are there, in a process that forgot the runs."""
    from dashboard.answers.computing import sessions
    from dashboard.answers.transport.recent_replies import RecentReplies

    sessions().shrink(room=sessions().limit)
    _boards[0].replies = RecentReplies()
    began = time.perf_counter()
    page = _timed(client, url)[1]
    while "twin-head" not in page and AGAIN.search(page):  # It asks again where the worker took longer than it waits.
        page = _timed(client, url)[1]
    first = time.perf_counter() - began
    if "c-second" not in page or "twin-head" not in page:
        raise ValueError("the first view has no attempts that differ")
    waiting = [html.unescape(one) for one in AGAIN.findall(page)]
    while waiting:
        waiting += [html.unescape(one) for one in AGAIN.findall(_timed(client, waiting.pop(0))[1])]
    return first, time.perf_counter() - began


def _steps(client: Client, url: str) -> list[float]:
    page, spent = _timed(client, url)[1], []
    for _ in range(STEPS):
        following = NEXT.search(page)
        if following is None:
            raise ValueError("there is no step")
        seconds, page = _timed(client, html.unescape(following[1]))
        spent.append(seconds)
    return spent


def _timed(client: Client, url: str) -> tuple[float, str]:
    began = time.perf_counter()
    response = client.get(url)
    if response.status_code != 200:
        raise ValueError(f"{url}: {response.status_code}")
    content = response.content.decode()
    return time.perf_counter() - began, content


def _p95(seconds: list[float]) -> float:
    return float(np.percentile(seconds, 95))

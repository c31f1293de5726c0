"""From a key in "Search and commands" to its list, in Chromium (python -m tests.bench --workload search).

A cluster of so many nodes and ten times as many pods, 200 runs of it, one with rows of so many cycles and of all pods'
arrival in the queue. Names, parts of names, letters in order, numbers, commands and nonsense are typed a letter at a
time: in the run, on the cluster's page and in the workspace (`run_`, `cluster_`, `all_`). `list_ms_*` go from the event
of the key to the list that is shown for it, the field's own pause included; `server_ms_*` are what the answers took by
the client of the tests, `server_cpu_ms_*` of the processor; `cold_ms` is the first answer of a process, which reads the
names. `*_scaled` are divided by how much slower than the reference's machine the CPython loop ran. The target is 100
ms, p95.
"""

from __future__ import annotations

import os
import random
import shutil
import time
from typing import TYPE_CHECKING, Any

import numpy as np
from django.conf import settings
from playwright.sync_api import sync_playwright

from tests.bench.calibration import REFERENCE_CPYTHON_S, calibration_cpython_s
from tests.bench.cluster_page import manifests
from tests.web_server import web_server_in_thread

if TYPE_CHECKING:
    from collections.abc import Iterator

    from django.test import Client
    from playwright.sync_api import Page

    from dashboard.runs.models import Run

RUNS, PODS_A_NODE, NAMES = 200, 10, 6
BATCH = 5_000
# What is typed beside names of pods and nodes: words of them, letters in order, numbers, commands, nonsense.
TYPED = ("shop web 41", "wb399", "nda17", "4001", "run 120", "switch theme", "qqqq", "settings", "ml/web-7")
_TYPE = """typed => new Promise(done => {
  const dialog = document.getElementById('command'), input = dialog.querySelector('input'), began = performance.now();
  new MutationObserver((_, observer) => {
    if (dialog.dataset.shown !== typed) return;
    observer.disconnect();
    done(performance.now() - began);
  }).observe(dialog, { attributes: true, attributeFilter: ['data-shown'] });
  input.value = typed;
  input.dispatchEvent(new Event('input', { bubbles: true }));
})"""


def lines(nodes: int, cycles: int) -> Iterator[dict[str, Any]]:
    """Yield one line of figures. Raises LookupError without a Chromium."""
    from tests.bench import recorded

    # The driver of the browser runs a loop of events in this thread; nothing of Django's waits in it.
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "1"
    path = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if path is None:
        raise LookupError("there is no Chromium to measure with")
    run = _saved(nodes, cycles)
    client = recorded.client_of(recorded.owner())
    here = f"/w/{recorded.SLUG}/"
    places = {"run": f"{here}runs/{run.number}/?cycle={cycles // 2}", "cluster": f"{here}clusters/large/", "all": here}
    with web_server_in_thread() as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path)
        context = browser.new_context(viewport={"width": 1280, "height": 800}, reduced_motion="reduce")
        cookie = client.cookies[settings.SESSION_COOKIE_NAME]
        context.add_cookies([{"name": cookie.key, "value": cookie.value, "url": address}])
        page = context.new_page()
        page.goto(f"{address}{here}members/")
        line: dict[str, Any] = {"workload": "search", "nodes": nodes, "pods": PODS_A_NODE * nodes, "runs": RUNS}
        for name, at in places.items():
            before = calibration_cpython_s()
            figures = _answered(client, f"{here}search/names/", at) | _typed(page, at)
            slower = (before + calibration_cpython_s()) / 2 / REFERENCE_CPYTHON_S
            line |= {f"{name}_{figure}": value for figure, value in figures.items()}
            line |= {f"{name}_{figure}_scaled": value / slower for figure, value in figures.items()}
            line[f"{name}_slower"] = slower
        browser.close()
    yield line | {"cycles": cycles}


def _beginnings() -> Iterator[str]:
    """What the field holds after each key."""
    chance = random.Random(5)
    pods = [f"web-{chance.randrange(400)}-{chance.randrange(50_000):05d}" for _ in range(NAMES)]
    nodes = [f"node-{chance.choice('abc')}-{chance.randrange(5_000):04d}" for _ in range(NAMES)]
    for text in (*pods, *nodes, *TYPED):
        yield from (text[:end] for end in range(1, len(text) + 1) if text[end - 1] != " ")


def _answered(client: Client, url: str, at: str) -> dict[str, float]:
    spent, computed = [], []
    for typed in ("x", *_beginnings()):
        began, cpu = time.perf_counter(), time.process_time()
        assert client.get(url, {"q": typed, "at": at}).status_code == 200
        spent.append(1_000 * (time.perf_counter() - began))
        computed.append(1_000 * (time.process_time() - cpu))
    return {"cold_ms": spent[0]} | _percentiles("server", spent[1:]) | _percentiles("server_cpu", computed[1:])


def _typed(page: Page, at: str) -> dict[str, float]:
    # The field asks for the place of what is on the screen.
    page.evaluate("at => { document.getElementById('main').dataset.address = at }", at)
    page.keyboard.press("Control+k")
    page.wait_for_selector("#command[data-shown]")
    spent = [page.evaluate(_TYPE, typed) for typed in _beginnings()]
    page.keyboard.press("Escape")
    return _percentiles("list", spent)


def _percentiles(name: str, spent: list[float]) -> dict[str, float]:
    return {f"{name}_ms_p{share}": float(np.percentile(spent, share)) for share in (50, 95)}


def _saved(nodes: int, cycles: int) -> Run:
    """Save the cluster, its runs and the rows of one of them."""
    from dashboard.accounts.models import Member
    from dashboard.clusters.models import Cluster
    from dashboard.clusters.revisions import object_store
    from dashboard.clusters.revisions.object_store import Saving
    from dashboard.runs import actions
    from dashboard.runs.actions import Launch
    from dashboard.runs.models import Run, RunHead, State
    from tests.bench.recorded import owner

    member = Member.objects.select_related("workspace", "user").get(user=owner())
    cluster = Cluster.objects.create(workspace=member.workspace, slug="large", name="Large")
    objects = manifests(nodes, PODS_A_NODE * nodes)
    revision = object_store.save_revision(cluster, objects, Saving(None))
    runs = [
        Run(workspace=member.workspace, number=number, revision=revision, name=f"night {number}", state=State.FINISHED)
        for number in range(1, RUNS)
    ]
    Run.objects.bulk_create(runs)
    RunHead.objects.bulk_create([RunHead(run=run) for run in runs])
    run = actions.create_run(member, Launch(revision, name="measured"))
    pods = [f"{one['metadata']['namespace']}/{one['metadata']['name']}" for one in objects if one["kind"] == "Pod"]
    _write_rows(run, pods, cycles)
    Run.objects.filter(pk=run.pk).update(state=State.FINISHED)
    RunHead.objects.filter(run=run).update(cycle=cycles, seq=len(pods) + 5 * cycles)
    return run


def _write_rows(run: Run, pods: list[str], cycles: int) -> None:
    from dashboard.runs.models import Cycle, QueueMove

    blank = {"at_us": 0, "run_id": run.pk}
    moves = [
        QueueMove(seq=i, pod=pod, source="", target="active", event="PodAdd", plugin="", attempts=0, **blank)
        for i, pod in enumerate(pods)
    ]
    counts = {"priority": 0, "template": 0, "n_nodes": 0, "visited": 0, "feasible": 0, "tie_count": 0}
    texts = {"profile": "default-scheduler", "message": "", "second_node": "", "node": "node-a-0000"}
    rows = [
        Cycle(
            **{"number": i + 1, "first_seq": len(pods) + 5 * i, "last_seq": len(pods) + 5 * i + 4},
            **{"pod": pods[i % len(pods)], "attempt": 1 + i // len(pods), "outcome": "scheduled"},
            **{"preempting": False, **counts, **texts, **blank},
        )
        for i in range(cycles)
    ]
    QueueMove.objects.bulk_create(moves, batch_size=BATCH)
    Cycle.objects.bulk_create(rows, batch_size=BATCH)

"""A page that stays open on a live run: the memory of page, web server and worker stays bounded."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import expect, sync_playwright

from tests.dashboard.run_helpers import cluster_of
from tests.faults.installations import embedded, pause, resume
from tests.faults.lengths import length
from tests.faults.processes import sign_in, start_run, wait_until
from tests.health import answers

pytestmark = [pytest.mark.slow, pytest.mark.browser, pytest.mark.long]

OPEN_SECONDS = length(short=8, long=600)
N_PODS = length(short=16_000, long=25_000)
# The worker computes for so long, then stands still for so long: its three seconds of work last most of a minute,
# longer than the page is open, also where a busy machine takes half of that to open it.
WORKS, STANDS = length(short=(0.05, 0.8), long=(0.05, 1.6))
MIB = 1024 * 1024
# What may come on top after the first fifth of the time. A worker keeps what its run has made so far.
MAY_GROW = {"page": 24 * MIB, "web": 96 * MIB, "worker": 256 * MIB}
DOM_NODES = 60_000


@pytest.fixture
def installation(tmp_path):
    """An embedded installation with a web server and a worker."""
    with embedded(tmp_path) as installation:
        installation.start("web", "worker1")
        wait_until(lambda: answers(("127.0.0.1", installation.port)), "no web server", installation.log)
        yield installation


@contextmanager
def slowed_down(process):
    """Let the process work in short stretches only."""
    over = threading.Event()

    def hold():
        while not over.is_set():
            pause(process)
            over.wait(STANDS)
            resume(process)
            over.wait(WORKS)

    thread = threading.Thread(target=hold, daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()
        resume(process)


def resident_bytes(process):
    text = Path(f"/proc/{process.pid}/status").read_text()
    return int(text.partition("VmRSS:")[2].split()[0]) * 1024


def figures_of(client, installation):
    """Return the memory of page, web server and worker in bytes, and the page's DOM nodes."""
    client.send("HeapProfiler.collectGarbage")
    metrics = {one["name"]: one["value"] for one in client.send("Performance.getMetrics")["metrics"]}
    processes = installation.processes
    memory = {
        "page": int(metrics["JSHeapUsedSize"]),
        "web": resident_bytes(processes["web"]),
        "worker": resident_bytes(processes["worker1"]),
    }
    return memory, int(metrics["Nodes"])


def test_a_page_open_on_a_live_run_stays_small(installation, tmp_path, chromium_path):
    run = start_run(installation.environment, tmp_path, cluster_of(200, N_PODS))
    head = f"SELECT seq FROM runs_runhead WHERE run_id = {run['id']}"
    wait_until(lambda: installation.ask(head)[0] > 0, "no progress", installation.log)
    origin, errors = f"http://127.0.0.1:{installation.port}", []
    with slowed_down(installation.processes["worker1"]), sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium_path)
        context = browser.new_context(viewport={"width": 1280, "height": 800})
        context.add_cookies([{"name": "schedscope_session", "value": sign_in(installation.environment), "url": origin}])
        page = context.new_page()
        page.set_default_timeout(60_000)
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.goto(f"{origin}/w/default/runs/{run['run']}/")
        expect(page.locator("#follow")).to_have_attribute("aria-checked", "true")
        client = context.new_cdp_session(page)
        client.send("Performance.enable")
        page.wait_for_timeout(OPEN_SECONDS * 200)
        begun_at, clock_text = installation.ask(head)[0], page.locator("#clock").inner_text()
        memory, _nodes = figures_of(client, installation)
        page.wait_for_timeout(OPEN_SECONDS * 800)
        stood_still = "the run stood still: nothing was measured"
        wait_until(lambda: installation.ask(head)[0] > begun_at, stood_still, installation.log)
        later, nodes = figures_of(client, installation)
        # The page follows the run.
        expect(page.locator("#clock")).not_to_have_text(clock_text)
        browser.close()
    grown = {name: later[name] - memory[name] for name in memory}
    print({name: f"{memory[name] / MIB:.0f} to {later[name] / MIB:.0f} MiB" for name in memory}, f"{nodes} nodes")
    assert {name: size for name, size in grown.items() if size > MAY_GROW[name]} == {}
    assert nodes < DOM_NODES
    assert errors == []

"""From the last key to the lit nodes: would it fit, asked while somebody types (python -m tests.bench.fit).

A headless Chromium has the YAML of a pending pod open, beside the processes of an embedded installation: web server
and answer worker. Each key changes the cpu that the pod requests. `typed_ms_*`: from the change of the text to
the end of the frame that shows the count and lights the nodes, with the pause after the last key. `web_ms_*`: the
request of the same alone. `cold_ms`: from opening the page until the first answer, for which worker and web process
read the cluster. `*_scaled` are at the reference's calibration.
"""

from __future__ import annotations

import random
import re
import shutil
import time
from typing import TYPE_CHECKING, Any

from playwright.sync_api import ViewportSize, sync_playwright

from dashboard.common.processes.supervisor import answers_command
from tests.bench.answer_pages import percentiles, scaled
from tests.bench.installation import INSTALLATIONS
from tests.dashboard.run_helpers import node, pod
from tests.faults.processes import process

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Page

KEYS, WARM_UP, PODS_PER_NODE, PATIENCE_SECONDS = 60, 5, 4, 120.0
ZONE = "topology.kubernetes.io/zone"
WINDOW = ViewportSize(width=1280, height=800)
_OBSERVE = """() => {
  window.litAt = [];
  document.addEventListener('fit:lit', () => requestAnimationFrame(() => setTimeout(
    () => window.litAt.push(performance.now()))));
}"""
_TYPE = """cpu => {
  const session = window.schedscopeEditor.session;
  const row = session.getDocument().getAllLines().findIndex(line => /^ *cpu:/.test(line));
  const line = session.getLine(row);
  const range = { start: { row, column: 0 }, end: { row, column: line.length } };
  const began = performance.now();
  session.replace(range, line.replace(/cpu:.*/, `cpu: ${cpu}m`));
  return began;
}"""
_REQUEST = """performance.getEntriesByType('resource').filter(one => one.name.endsWith('/fit/typed')).at(-1).duration"""


def lines(nodes: int, cycles: int) -> Iterator[dict[str, Any]]:
    """Yield one line of figures. Raises LookupError without Chromium, TimeoutError without an answer."""
    path = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if path is None:
        raise LookupError("there is no Chromium to measure with")
    with (
        INSTALLATIONS["sqlite"]() as installation,
        process(installation.environment, answers_command(), installation.log),
        sync_playwright() as playwright,
    ):
        manifests = [node(f"node-{n}", str(4 + n % 7), **{ZONE: f"zone-{n % 3}"}) for n in range(nodes)]
        bound = range(nodes * PODS_PER_NODE)
        manifests += [pod(f"held-{n}", f"{300 + n % 900}m", nodeName=f"node-{n % nodes}") for n in bound]
        started = installation.start_run([*manifests, pod("typed", "500m")], "--wait", "600")
        browser = playwright.chromium.launch(executable_path=path)
        context = browser.new_context(viewport=WINDOW, reduced_motion="reduce")
        context.add_cookies([{"name": "schedscope_session", "value": installation.cookie, "url": installation.origin}])
        page = context.new_page()
        clusters = f"{installation.origin}/w/{started['workspace']}/clusters/"
        page.goto(clusters)
        slug = re.search(r"/clusters/(?!new/)([^/\"]+)/\"", page.content())
        assert slug is not None, "the cluster of the run is listed"
        figures = _measure(page, f"{clusters}{slug[1]}/object/?kind=Pod&ns=default&name=typed")
        browser.close()
    yield {"workload": "fit", "nodes": nodes, "bound_pods": len(bound), "keys": KEYS, **scaled(figures)}


def _measure(page: Page, url: str) -> dict[str, Any]:
    began = time.perf_counter()
    page.goto(url)
    page.wait_for_selector("[data-fit-lit]", state="attached", timeout=1000 * PATIENCE_SECONDS)
    cold = 1000 * (time.perf_counter() - began)
    page.evaluate(_OBSERVE)
    chance, typed, web = random.Random(7), [], []
    for i in range(WARM_UP + KEYS):
        milliseconds = _typed(page, chance.randrange(100, 9_000))
        if i >= WARM_UP:
            typed.append(milliseconds)
            web.append(float(page.evaluate(_REQUEST)))
    return {"cold_ms": cold, **percentiles("typed", typed), **percentiles("web", web)}


def _typed(page: Page, cpu: int) -> float:
    """Milliseconds from the change of the text until the nodes are lit."""
    before, until = page.evaluate("window.litAt.length"), time.monotonic() + PATIENCE_SECONDS
    began = page.evaluate(_TYPE, cpu)
    while page.evaluate("window.litAt.length") <= before:
        if time.monotonic() > until:
            raise TimeoutError(f"no answer in {PATIENCE_SECONDS} s")
        time.sleep(0.02)
    return float(page.evaluate("window.litAt.at(-1)")) - began


if __name__ == "__main__":
    for line in lines(1_500, 0):
        print(line)

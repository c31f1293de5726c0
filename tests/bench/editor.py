"""The editor of a draft of a large cluster in Chromium: opened, its map moved, objects changed singly and in bulk.

Run it by ``python -m tests.bench --workload editor [--nodes N] [--cycles PODS]``, on the cluster of `cluster-page`. By
the clock: `opened_cold` by a server that has read nothing of the revision, `opened_edited` of a draft changed since it
was read, until map, tree and bar can be used. `edit` is a node cordoned by its button until the answer is told, `form`
a field of a bound pod's form, whose counts are there, until the form has the answer, `bulk` a label on BULK nodes until
its answer is told; `*_followed` from the same start until tree and map show it. `*_cpu_ms` is the processor's time of
the server, and of the measurement, for the same. `frame_*` is script of the events of the pointer as `cluster-page` has
them, with as many nodes selected; `picture_ms` a whole drawing of the map. `progress` counts what the bar said while
the bulk change ran.
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

from tests.bench import cluster_page
from tests.bench.calibration import REFERENCE_CPYTHON_S, calibration_cpython_s
from tests.web_server import web_server_in_thread

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from playwright.sync_api import Page

OPENED, EDITS, BULKS, BULK = 5, 20, 5, 1_000
_OBSERVE = """
window.pointers = [];
window.pictures = [];
const observed = (name, into) => new PerformanceObserver(list => into.push(
  ...list.getEntriesByName(name).map(one => one.duration)
)).observe({ type: 'measure' });
observed('cluster-map-pointer', window.pointers);
observed('cluster-map', window.pictures);
document.addEventListener('map:drawn', () => { window.drawnAt ??= performance.now(); });
"""
_READY = """new Promise(done => {
  const look = () => window.drawnAt && document.documentElement.dataset.handReady !== undefined
    ? done(performance.now()) : requestAnimationFrame(look);
  look();
})"""
# What runs from a key to the words of the answer, and from there to the followed tree and map.
_TOLD = """([press, texts]) => new Promise(done => {
  const start = performance.now();
  const said = new Set();
  const busy = document.querySelector('[data-hand-doing]');
  const heard = () => {
    if (busy.textContent) said.add(busy.parentElement.textContent.trim());
    if (![...document.querySelectorAll('.toast')].some(one => one.textContent.includes(texts))) return;
    observer.disconnect();
    const told = performance.now() - start;
    document.addEventListener('draftfollowed', () => done({
      told, followed: performance.now() - start, said: [...said],
    }), { once: true });
  };
  const observer = new MutationObserver(heard);
  observer.observe(document.body, { childList: true, subtree: true, characterData: true });
  document.querySelectorAll('.toast').forEach(one => one.remove());
  press.startsWith('#')
    ? document.querySelector(press).requestSubmit(document.querySelector(`${press} .btn-primary`))
    : document.querySelector(`[data-hand=${press}]`).click();
})"""
_TYPED = """([id, value]) => new Promise(done => {
  const field = document.getElementById(id);
  const start = performance.now();
  const observer = new MutationObserver(() => {
    if (document.getElementById(id)?.dataset.was !== value) return;
    observer.disconnect();
    done(performance.now() - start);
  });
  observer.observe(document.body, { childList: true, subtree: true, attributes: true });
  field.value = value;
  field.dispatchEvent(new Event('change', { bubbles: true }));
})"""


def lines(nodes: int, pods: int) -> Iterator[dict[str, Any]]:
    """Yield one line of figures. Raises LookupError without a Chromium."""
    from tests.bench import recorded

    # The driver of the browser runs a loop of events in this thread; nothing of Django's waits in it.
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "1"
    path = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if path is None:
        raise LookupError("there is no Chromium to measure with")
    client, _ = cluster_page.saved(nodes, pods)
    cookie = client.cookies[settings.SESSION_COOKIE_NAME]
    with web_server_in_thread() as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path)
        context = browser.new_context(viewport={"width": 1280, "height": 800}, reduced_motion="reduce")
        context.set_default_timeout(60_000)
        context.add_cookies([{"name": cookie.key, "value": cookie.value, "url": address}])
        page = context.new_page()
        page.add_init_script(_OBSERVE)
        page.goto(f"{address}/w/{recorded.SLUG}/clusters/")
        before = calibration_cpython_s()
        bench = EditorBench(page, address, nodes)
        bench.measure()
        slower = (before + calibration_cpython_s()) / 2 / REFERENCE_CPYTHON_S
        figures = bench.percentiles()
        line = {"workload": "editor", "nodes": nodes, "pods": pods, "chromium": browser.version}
        browser.close()
    scaled = {f"{name}_scaled": value / slower for name, value in figures.items()}
    yield line | figures | scaled | {"progress": bench.progress, "slower": slower}


class EditorBench:
    """A draft in its editor, and what is measured of it."""

    def __init__(self, page: Page, address: str, nodes: int) -> None:
        from dashboard.accounts.models import Member
        from dashboard.clusters.drafts.actions import new_draft
        from dashboard.clusters.models import Cluster
        from tests.bench import recorded

        member = Member.objects.select_related("workspace", "user").get(user=recorded.owner())
        cluster = Cluster.objects.get(slug=cluster_page.SLUG)
        self.draft = new_draft(member, cluster, "Bench")
        self.page, self.nodes = page, nodes
        self.address = f"{address}/w/{recorded.SLUG}/clusters/{cluster.slug}/drafts/{self.draft.pk}/edit/"
        self.spent: dict[str, list[float]] = {}
        self.frames: dict[str, float] = {}
        self.progress = 0
        self.chance = random.Random(5)

    def measure(self) -> None:
        """Take all figures."""
        from dashboard.clusters.revisions.contents import cache

        for _ in range(OPENED):
            cache.clear()
            self._timed("opened_cold", lambda: self._open(""))
        for number in range(EDITS):
            self._edit(number)
            self._form(number)
        for _ in range(OPENED):
            self._move()
            self._timed("opened_edited", lambda: self._open(""))
        for number in range(BULKS):
            self._bulk(number)
        self._pointed()

    def percentiles(self) -> dict[str, float]:
        """Return the median and the 95th percentile of each figure."""
        spent = {f"{name}_p{q}": float(np.percentile(ms, q)) for name, ms in self.spent.items() for q in (50, 95)}
        return spent | self.frames

    def _note(self, name: str, value: float) -> None:
        self.spent.setdefault(name, []).append(value)

    def _timed(self, name: str, work: Callable[[], float]) -> None:
        cpu = time.process_time()
        self._note(f"{name}_ms", work())
        self._note(f"{name}_cpu_ms", (time.process_time() - cpu) * 1e3)

    def _open(self, query: str) -> float:
        self.page.goto(f"{self.address}{query}")
        return float(self.page.evaluate(_READY))

    def _changed(self, name: str, press: str, texts: str) -> list[str]:
        """Press what changes the draft; returns what the bar said meanwhile."""
        cpu = time.process_time()
        answer = self.page.evaluate(_TOLD, [press, texts])
        self._note(f"{name}_ms", answer["told"])
        self._note(f"{name}_followed_ms", answer["followed"])
        self._note(f"{name}_followed_cpu_ms", (time.process_time() - cpu) * 1e3)
        said: list[str] = answer["said"]
        return said

    def _edit(self, number: int) -> None:
        name = f"node-{'abc'[number % 3]}-{number:04d}"
        self._open(f"?node={name}")
        self._changed("edit", "cordon", "Cordon")

    def _form(self, number: int) -> None:
        # A pod that waits is asked about meanwhile, by a process of its own but for here.
        which = self.chance.choice([i for i in range(self.nodes) if i % cluster_page.UNBOUND_EVERY])
        namespace = ("shop", "ml", "batch")[which % 3]
        self._open(f"?pod={namespace}/web-{which % 400}-{which:05d}")
        self.page.wait_for_selector("[data-counts]", state="detached")
        field = 'f-["spec","containers",0,"resources","requests","cpu"]'
        cpu = time.process_time()
        self._note("form_ms", float(self.page.evaluate(_TYPED, [field, f"{300 + number}m"])))
        self._note("form_cpu_ms", (time.process_time() - cpu) * 1e3)

    def _move(self) -> None:
        from dashboard.clusters.by_hand.actions import act
        from dashboard.clusters.by_hand.changes import HandValues
        from dashboard.clusters.drafts.opened import OpenedDraft
        from dashboard.clusters.models import Draft
        from dashboard.clusters.revisions.object_keys import Key
        from tests.bench import recorded

        member = recorded.owner().memberships.select_related("workspace", "user").get()
        draft = Draft.objects.select_related("base__cluster", "cluster__workspace").get(pk=self.draft.pk)
        name = f"node-a-{3 * self.chance.randrange(self.nodes // 3):04d}"
        values = HandValues(key=f"k{self.chance.randrange(10**9)}")
        act(member, OpenedDraft(draft), "label", [Key("Node", "", name)], values)

    def _bulk(self, number: int) -> None:
        self._open("?q=%3Anode")
        names = [f"node-{'abc'[i % 3]}-{i:04d}" for i in range(min(BULK, self.nodes))]
        detail = {"nodes": names}
        self.page.evaluate("detail => document.dispatchEvent(new CustomEvent('map:pick', { detail }))", detail)
        self.page.wait_for_selector("[data-hand=label]")
        self.page.click("[data-hand=label]")
        self.page.fill("#hand-label [name=label_key]", f"bulk{number}")
        said = self._changed("bulk", "#hand-label form", "Label")
        self.progress = max(self.progress, len(said))

    def _pointed(self) -> None:
        names = [f"node-{'abc'[i % 3]}-{i:04d}" for i in range(min(BULK, self.nodes))]
        self.page.evaluate("nodes => document.dispatchEvent(new CustomEvent('map:pick', { detail: { nodes } }))", names)
        self.page.evaluate("window.pictures.length = 0")
        self.frames = {f"frame_{name}": value for name, value in cluster_page.pointed(self.page).items()}
        pictures: list[float] = self.page.evaluate("window.pictures")
        for value in pictures:
            self._note("picture_ms", value)

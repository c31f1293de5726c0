"""The page of a large cluster in Chromium: until its map is drawn, and what pointer and pan cost.

Run it by ``python -m tests.bench --workload cluster-page [--nodes N] [--cycles PODS]``. A generated cluster of three
zones and three pools, one pod in 25 without a node, is saved and its page opened by a headless Chromium: `cold` by a
server that has read nothing of the revision, `warm` by one that has, `edited` that of a draft of which a pod has just
been moved; each from the start of the navigation to the first picture of the map, data included. `hover_*` and `pan_*`
are script of one event of the pointer by the clock (the page's measure "cluster-map-pointer"): hovering at random
points of the whole map, dragging a map of tiles, and one of cards.
`*_scaled` are divided by how much slower than the reference's machine the CPython loop ran. Sizes are bytes.
"""

from __future__ import annotations

import gzip
import os
import random
import shutil
from itertools import count
from typing import TYPE_CHECKING, Any

import numpy as np
from django.conf import settings
from playwright.sync_api import sync_playwright

from tests.bench.calibration import REFERENCE_CPYTHON_S, calibration_cpython_s
from tests.web_server import web_server_in_thread

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from django.test import Client
    from playwright.sync_api import Page

OPENED, HOVERS, DRAGS = 5, 200, 100
UNBOUND_EVERY = 25
DEVICE_EVERY = 10
SLUG = "large"
DEVICE = "nvidia.com/gpu"
# Notes when the map was first drawn, and what each event of the pointer took.
_OBSERVE = """
window.pointers = [];
new PerformanceObserver(list => window.pointers.push(
  ...list.getEntriesByName('cluster-map-pointer').map(one => one.duration)
)).observe({ type: 'measure' });
document.addEventListener('map:drawn', () => { window.drawnAt ??= performance.now(); });
"""
_DRAWN = """new Promise(done => {
  if (window.drawnAt) done(window.drawnAt);
  else document.addEventListener('map:drawn', () => done(window.drawnAt), { once: true });
})"""
_MOVE = """([points, type]) => {
  const pane = document.getElementById('cluster-map');
  const { left, top } = pane.getBoundingClientRect();
  const options = ([x, y]) => ({ bubbles: true, pointerId: 1, button: 0, clientX: left + x, clientY: top + y });
  const next = k => new Promise(done => requestAnimationFrame(() => {
    pane.dispatchEvent(new PointerEvent(type, options(points[k])));
    done(k + 1 < points.length ? next(k + 1) : 0);
  }));
  return next(0);
}"""


def manifests(nodes: int, pods: int, seed: int = 7) -> list[dict[str, Any]]:
    """Return nodes in three zones and pools, one in ten with devices, and pods of four sizes of cpu and memory."""
    chance = random.Random(seed)
    figures = [_node(i) for i in range(nodes)]
    for i in range(pods):
        cpu, memory = chance.choice(["250m", "500m", "1", "2"]), chance.choice(["512Mi", "1Gi", "4Gi"])
        figures.append(_pod(i, chance.randrange(nodes), cpu, memory))
    return figures


def _pod(i: int, at: int, cpu: str, memory: str) -> dict[str, Any]:
    devices = {DEVICE: "1"} if at % DEVICE_EVERY == 0 and i % 3 == 0 else {}
    resources = {"requests": {"cpu": cpu, "memory": memory, **devices}, "limits": devices}
    spec: dict[str, Any] = {"containers": [{"name": "main", "image": "app:1", "resources": resources}]}
    if i % UNBOUND_EVERY:
        spec["nodeName"] = _name(at)
    metadata = {"name": f"web-{i % 400}-{i:05d}", "namespace": ("shop", "ml", "batch")[i % 3]}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec}


def _name(i: int) -> str:
    return f"node-{'abc'[i % 3]}-{i:04d}"


def _node(i: int) -> dict[str, Any]:
    has_device = i % DEVICE_EVERY == 0
    allocatable = {"cpu": "32", "memory": "128Gi", "pods": "110"} | ({DEVICE: "8"} if has_device else {})
    pool = "gpu" if has_device else ("general", "batch")[i % 7 == 3]
    labels = {"topology.kubernetes.io/zone": f"zone-{'abc'[i % 3]}", "pool": pool}
    metadata = {"name": _name(i), "labels": labels}
    return {"apiVersion": "v1", "kind": "Node", "metadata": metadata, "status": {"allocatable": allocatable}}


def lines(nodes: int, pods: int) -> Iterator[dict[str, Any]]:
    """Yield one line of figures. Raises LookupError without a Chromium."""
    from tests.bench import recorded

    # The driver of the browser runs a loop of events in this thread; nothing of Django's waits in it.
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "1"
    path = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if path is None:
        raise LookupError("there is no Chromium to measure with")
    client, stored = saved(nodes, pods)
    cookie = client.cookies[settings.SESSION_COOKIE_NAME]
    here = f"/w/{recorded.SLUG}/clusters/{SLUG}/"
    line: dict[str, Any] = {"workload": "cluster-page", "nodes": nodes, "pods": pods, "stored": stored}
    line |= _sizes(client, here)
    with web_server_in_thread() as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path)
        context = browser.new_context(viewport={"width": 1280, "height": 800}, reduced_motion="reduce")
        context.set_default_timeout(60_000)
        context.add_cookies([{"name": cookie.key, "value": cookie.value, "url": address}])
        page = context.new_page()
        page.add_init_script(_OBSERVE)
        # As somebody who comes from the list of clusters, so that the start of Chromium itself is not measured.
        page.goto(f"{address}/w/{recorded.SLUG}/clusters/")
        before = calibration_cpython_s()
        figures = _opened(page, f"{address}{here}") | _edited(page, f"{address}{here}") | pointed(page)
        slower = (before + calibration_cpython_s()) / 2 / REFERENCE_CPYTHON_S
        line["chromium"] = browser.version
        browser.close()
    yield line | figures | {f"{name}_scaled": value / slower for name, value in figures.items()} | {"slower": slower}


def saved(nodes: int, pods: int) -> tuple[Client, int]:
    """Save the cluster; returns a signed-in client and the bytes stored for its objects."""
    from django.db.models import Sum
    from django.db.models.functions import Length
    from django.test import Client

    from dashboard.accounts.models import Member
    from dashboard.clusters.models import Cluster, ObjectBlob
    from dashboard.clusters.revisions import object_store
    from dashboard.clusters.revisions.object_store import Saving
    from tests.bench.recorded import owner

    user = owner()
    workspace = Member.objects.select_related("workspace").get(user=user).workspace
    cluster = Cluster.objects.create(workspace=workspace, slug=SLUG, name=SLUG)
    revision = object_store.save_revision(cluster, manifests(nodes, pods), Saving(None))
    client = Client()
    client.force_login(user)
    blobs = ObjectBlob.objects.filter(workspace=workspace).aggregate(size=Sum(Length("data")))["size"]
    return client, len(revision.pages) + blobs


def _sizes(client: Client, here: str) -> dict[str, int]:
    figures: dict[str, int] = {}
    for name, path in (("page", here), ("map", f"{here}map/"), ("names", f"{here}map/?names=1")):
        content = client.get(path).content
        figures |= {f"{name}_bytes": len(content), f"{name}_gzip_bytes": len(gzip.compress(content, 6))}
    return figures


def _opened(page: Page, url: str) -> dict[str, float]:
    """Milliseconds until the map is drawn: read anew by the server each time, and with what it keeps."""
    from dashboard.clusters.revisions.contents import cache

    return _drawn(page, url, "cold", cache.clear) | _drawn(page, url, "warm", lambda: None)


def _edited(page: Page, url: str) -> dict[str, float]:
    """Milliseconds until the map of a draft is drawn that was changed after it was last looked at."""
    from dashboard.clusters.drafts.opened import OpenedDraft
    from dashboard.clusters.drafts.operations import Edit, put_in
    from dashboard.clusters.models import Draft, Revision
    from dashboard.clusters.revisions.object_keys import Key
    from tests.bench.recorded import owner

    revision = Revision.objects.select_related("cluster").get(cluster__slug=SLUG)
    draft = Draft.objects.create(cluster=revision.cluster, author=owner(), base=revision, name="Moved")
    places = count()

    def move() -> None:
        pod = _pod(1, next(places), "1", "1Gi")
        key = Key("Pod", pod["metadata"]["namespace"], pod["metadata"]["name"])
        put_in(owner(), draft, "Move", [Edit.over(OpenedDraft(draft).addresses[key], key, pod)])

    return _drawn(page, f"{url}?draft={draft.pk}", "edited", move)


def _drawn(page: Page, url: str, name: str, prepare: Callable[[], None]) -> dict[str, float]:
    spent = []
    for _ in range(OPENED):
        prepare()
        page.goto(url)
        spent.append(page.evaluate(_DRAWN))
    return {f"{name}_ms_p50": float(np.percentile(spent, 50)), f"{name}_ms_max": max(spent)}


def pointed(page: Page) -> dict[str, float]:
    """Milliseconds of script of one event of the pointer."""
    page.wait_for_selector("html[data-map=ready]")
    box = page.locator("#cluster-map").bounding_box() or {"width": 0.0, "height": 0.0}
    chance = random.Random(3)
    points = [[chance.uniform(0, box["width"]), chance.uniform(0, box["height"])] for _ in range(HOVERS)]
    figures = _spent(page, "hover", points, "pointermove")
    for name, zooms in (("pan_tiles", 3), ("pan_cards", 4)):
        for _ in range(zooms):
            page.click("[data-map-zoom=in]")
        page.evaluate(_MOVE, [[[box["width"] / 2, box["height"] / 2]], "pointerdown"])
        # There and back in steps of a hand that drags quickly.
        x, y = box["width"] / 2, box["height"] / 2
        way = [[x + 12 * abs(k % 40 - 20), y + 7 * abs(k % 30 - 15)] for k in range(DRAGS)]
        figures |= _spent(page, name, way, "pointermove")
        page.evaluate(_MOVE, [[way[-1]], "pointerup"])
    return figures


def _spent(page: Page, name: str, points: list[list[float]], event: str) -> dict[str, float]:
    page.evaluate("window.pointers.length = 0")
    page.evaluate(_MOVE, [points, event])
    page.wait_for_timeout(200)
    spent: list[float] = page.evaluate("window.pointers")
    if len(spent) < len(points):
        raise ValueError(f"{name}: {len(points)} events were measured {len(spent)} times")
    return {f"{name}_ms_p50": float(np.percentile(spent, 50)), f"{name}_ms_p95": float(np.percentile(spent, 95))}

"""Script time of the cluster map in Chromium while a run of many nodes is stepped through (python -m tests.bench.map).

A headless Chromium opens the page of a recorded run, steps forward by key and jumps to cycles drawn from the whole run,
and is traced meanwhile. `map_paint_*` is what unpacking the map's data and drawing it takes, by the clock (the page's
measure "map"), since it shares its slice with the panes that are painted in the same frame. The others are thread time
of the main thread's script slices: functions called by the browser, timers, events, microtasks. Slices between two
frames of the main thread make one frame: `frame_with_map_*` is all script of the frames in which the map is drawn,
`frame_*` all script of each frame in which any ran.
"""

from __future__ import annotations

import argparse
import json
import random
import shutil
from bisect import bisect_right
from typing import TYPE_CHECKING, Any

import numpy as np
from django.conf import settings
from playwright.sync_api import sync_playwright

from tests.bench.calibration import calibration_cpython_s
from tests.page_modules import page_modules_script
from tests.web_server import web_server_in_thread

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser, Page

    from tests.bench.recorded import Recorded

WORKLOAD = "mix"
STEPS, JUMPS, WARM_UP = 200, 30, 5
CATEGORIES = ["devtools.timeline", "disabled-by-default-devtools.timeline", "v8.execute"]
# What runs script; nested ones are parts of those around them.
SCRIPT = frozenset(
    {"FunctionCall", "EvaluateScript", "TimerFire", "FireAnimationFrame", "EventDispatch", "RunMicrotasks"}
)
FRAME = "BeginCommitCompositorFrame"
# The map tells that it was drawn before its slice ends.
DRAWN = "map:ready"
_GO = "cycle => pageModule('debugger/cursor.js').then(cursor => cursor.go(cursor.urlFor({ cycle })))"
_OBSERVE = """() => {
  window.paints = [];
  const note = list => window.paints.push(...list.getEntriesByName('map').map(one => one.duration));
  new PerformanceObserver(note).observe({ type: 'measure' });
}"""
_EXPECT = f"window.drawn = new Promise(done => document.addEventListener('{DRAWN}', done, {{ once: true }})), 0"


def lines(nodes: int, cycles: int) -> Iterator[dict[str, Any]]:
    """Yield one line of figures. Raises ValueError where the map did not follow, LookupError without a Chromium."""
    from tests.bench.recorded import record

    path = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if path is None:
        raise LookupError("there is no Chromium to measure with")
    recorded = record(WORKLOAD, nodes, cycles)
    cookie = recorded.client().cookies[settings.SESSION_COOKIE_NAME]
    with web_server_in_thread() as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path)
        context = browser.new_context(viewport={"width": 1280, "height": 800}, reduced_motion="reduce")
        context.add_init_script(page_modules_script())
        context.set_default_timeout(20_000)
        context.add_cookies([{"name": cookie.key, "value": cookie.value, "url": address}])
        page = context.new_page()
        page.goto(f"{address}{recorded.url()}?cycle={cycles // 2}")
        page.wait_for_selector("html[data-debugger=ready]")
        line = {"workload": f"map-{WORKLOAD}", "nodes": nodes, "cycles": cycles}
        yield line | measure(browser, page, recorded, random.Random(7))
        browser.close()


def measure(browser: Browser, page: Page, recorded: Recorded, chance: random.Random) -> dict[str, Any]:
    """Step and jump, and return what the trace tells."""
    last = recorded.run.head.cycle
    jumps = chance.sample(range(1, last + 1), min(JUMPS, last))
    for _ in range(WARM_UP):
        _move(page, lambda: page.keyboard.press("F10"))
    page.evaluate(_OBSERVE)
    browser.start_tracing(page=page, categories=CATEGORIES)
    for _ in range(STEPS):
        _move(page, lambda: page.keyboard.press("F10"))
    for cycle in jumps:
        _move(page, lambda cycle=cycle: page.evaluate(_GO, cycle))
    events = json.loads(browser.stop_tracing())["traceEvents"]
    paints: list[float] = page.evaluate("window.paints")
    if len(paints) < STEPS + len(jumps):
        raise ValueError(f"{STEPS + len(jumps)} moves drew the map {len(paints)} times")
    figures: dict[str, Any] = {"moves": STEPS + len(jumps), "chromium": browser.version}
    scripts = {f"{name}_script": spent for name, spent in frames(events).items()}
    for name, spent in ({"map_paint": paints} | scripts).items():
        figures |= {f"{name}_ms_p{q}": round(float(np.percentile(spent, q)), 2) for q in (50, 95)}
        figures[f"{name}_ms_max"] = round(max(spent), 2)
    return figures


def _move(page: Page, how: Any) -> None:
    """Move the cursor and wait until the map is that of the new place."""
    page.evaluate(_EXPECT)
    how()
    page.evaluate("window.drawn.then(() => 0)")


def frames(events: list[dict[str, Any]]) -> dict[str, list[float]]:
    """Return script milliseconds by frame: of frames in which the map is drawn, of all frames."""
    slices, drawn, thread = _slices(events)
    ends = sorted(e["ts"] for e in events if e["name"] == FRAME and (e["pid"], e["tid"]) == thread)
    whole: dict[int, float] = {}
    with_map: set[int] = set()
    for start, end, spent in slices:
        frame = bisect_right(ends, start)
        whole[frame] = whole.get(frame, 0.0) + spent
        i = bisect_right(drawn, start)
        if i < len(drawn) and drawn[i] < end:
            with_map.add(frame)
    return {
        "frame_with_map": [whole[frame] for frame in sorted(with_map)],
        "frame": list(whole.values()),
    }


def _slices(events: list[dict[str, Any]]) -> tuple[list[tuple[float, float, float]], list[float], tuple[int, int]]:
    """Return the outermost script slices (start, end, thread ms) of the page's thread, and when the map was drawn."""
    drawings = [e for e in events if e["name"] == "EventDispatch" and e["args"]["data"]["type"] == DRAWN]
    if not drawings:
        raise ValueError("the trace does not show the map being drawn")
    thread = drawings[0]["pid"], drawings[0]["tid"]
    # A slice that tracing cut at its start or end has no thread time.
    script = [e for e in events if e["name"] in SCRIPT and (e["pid"], e["tid"]) == thread and "tdur" in e]
    slices: list[tuple[float, float, float]] = []
    for event in sorted(script, key=lambda e: (e["ts"], -e["dur"])):
        if not slices or event["ts"] >= slices[-1][1]:
            slices.append((event["ts"], event["ts"] + event["dur"], event["tdur"] / 1000))
    return slices, sorted(e["ts"] for e in drawings), thread


def main() -> None:
    """Print one JSON line."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.map", description=__doc__)
    parser.add_argument("--nodes", type=int, default=5_000)
    parser.add_argument("--cycles", type=int, default=10_000)
    options = parser.parse_args()
    for line in lines(options.nodes, options.cycles):
        print(json.dumps({**line, "calibration_cpython_s": round(calibration_cpython_s(), 3)}), flush=True)


if __name__ == "__main__":
    main()

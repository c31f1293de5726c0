"""From the key to the picture: what a step of the debugger costs its reader (python -m tests.bench.steps).

A headless Chromium opens the page of a recorded run of many nodes. `ahead_ms_*`: next cycle by F10 when its answer was
fetched ahead, from the key's time stamp until behind the frame in which all panes are painted. `jump_ms_*`: cycles
drawn from the whole run, of which nothing was fetched. `held_*`: F10 repeated every 30 ms
for some seconds; painted cycles a second. Wall time of this machine at that moment; `calibration_cpython_s` stands
beside it to compare machines.
"""

from __future__ import annotations

import argparse
import json
import random
import shutil
from collections.abc import Iterator
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from django.conf import settings
from playwright.sync_api import sync_playwright

from tests.bench.calibration import calibration_cpython_s
from tests.web_server import web_server_in_thread

if TYPE_CHECKING:
    from playwright.sync_api import Page

WORKLOAD = "mix"
STEPS, JUMPS, WARM_UP, PRESSES = 60, 40, 5, 200
_OBSERVE = """() => {
  let from = 0;
  window.begin = () => { from = performance.now(); };
  addEventListener('keydown', ev => { from = ev.timeStamp; }, true);
  window.painted = [];
  window.rest = Promise.resolve();
  document.addEventListener('cursor:moved', ({ detail }) => {
    const began = from;
    window.rest = new Promise(done => requestAnimationFrame(() => setTimeout(() => {
      window.painted.push([detail.cycle, performance.now() - began, performance.now()]);
      done();
    })));
  });
}"""
_MOVED = "window.moved = new Promise(done => document.addEventListener('cursor:moved', done, { once: true })), 0"
_GO = """cycle => import('/static/debugger/cursor.js').then(cursor => {
  window.begin();
  cursor.go(cursor.urlFor({ cycle }));
})"""
_FETCHED = """async () => {
  const { stepUrl } = await import('/static/debugger/cursor.js');
  const there = () => performance.getEntriesByName(stepUrl()).some(one => one.responseEnd > 0);
  while (!there()) await new Promise(done => setTimeout(done, 10));
  // What came is parsed as well.
  await new Promise(done => setTimeout(done, 50));
}"""
_HELD = """async presses => {
  const key = (type, repeat) => new KeyboardEvent(type, { key: 'F10', bubbles: true, cancelable: true, repeat });
  const first = window.painted.length;
  for (let i = 0; i < presses; i++) {
    document.body.dispatchEvent(key('keydown', i > 0));
    await new Promise(done => setTimeout(done, 30));
  }
  document.body.dispatchEvent(key('keyup', false));
  while (document.documentElement.dataset.moves) await new Promise(done => setTimeout(done, 20));
  await window.rest;
  return window.painted.slice(first);
}"""


def lines(nodes: int, cycles: int) -> Iterator[dict[str, Any]]:
    """Yield one line of figures. Raises ValueError where a held key left out a cycle, LookupError without Chromium."""
    from tests.bench.recorded import record

    path = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if path is None:
        raise LookupError("there is no Chromium to measure with")
    recorded = record(WORKLOAD, nodes, cycles)
    cookie = recorded.client().cookies[settings.SESSION_COOKIE_NAME]
    with web_server_in_thread() as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path)
        context = browser.new_context(viewport={"width": 1280, "height": 800}, reduced_motion="reduce")
        context.set_default_timeout(60_000)
        context.add_cookies([{"name": cookie.key, "value": cookie.value, "url": address}])
        page = context.new_page()
        page.goto(f"{address}{recorded.url()}?cycle={cycles // 2}")
        page.wait_for_selector("html[data-debugger=ready]")
        line = {"workload": f"steps-{WORKLOAD}", "nodes": nodes, "cycles": cycles, "tab": "matrix"}
        yield line | measure(page, cycles)
        browser.close()


def measure(page: Page, cycles: int) -> dict[str, Any]:
    """Step, jump and hold the key; return what it took."""
    page.evaluate(_OBSERVE)
    for _ in range(WARM_UP):
        _step(page)
    ahead = [_step(page) for _ in range(STEPS)]
    chance = random.Random(7)
    jumps = [_jump(page, cycle) for cycle in chance.sample(range(1, cycles + 1), JUMPS)]
    _jump(page, cycles // 4)
    held = page.evaluate(_HELD, PRESSES)
    numbers = [number for number, _, _ in held]
    left_out = [number for before, number in pairwise(numbers) if number != before + 1]
    if left_out:
        raise ValueError(f"a held key left cycles out before {left_out[:3]}")
    seconds = (held[-1][2] - held[0][2]) / 1000
    figures: dict[str, Any] = {"steps": STEPS, "jumps": JUMPS, "held_painted": len(held)}
    for name, spent in (("ahead", ahead), ("jump", jumps)):
        figures |= {f"{name}_ms_p{q}": round(float(np.percentile(spent, q)), 1) for q in (50, 95)}
    return figures | {"held_per_second": round((len(held) - 1) / seconds, 1)}


def _step(page: Page) -> float:
    """Press the key for the next cycle once that was fetched; return milliseconds until it was painted."""
    page.evaluate(_FETCHED)
    page.evaluate("performance.clearResourceTimings()")
    return _painted(page, lambda: page.keyboard.press("F10"))


def _jump(page: Page, cycle: int) -> float:
    return _painted(page, lambda: page.evaluate(_GO, cycle))


def _painted(page: Page, how: Any) -> float:
    page.evaluate(_MOVED)
    how()
    page.evaluate("window.moved.then(() => window.rest)")
    spent: float = page.evaluate("window.painted.at(-1)[1]")
    return spent


def main() -> None:
    """Print one JSON line."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.steps", description=__doc__)
    parser.add_argument("--nodes", type=int, default=5_000)
    parser.add_argument("--cycles", type=int, default=10_000)
    options = parser.parse_args()
    for line in lines(options.nodes, options.cycles):
        print(json.dumps({**line, "calibration_cpython_s": round(calibration_cpython_s(), 3)}), flush=True)


if __name__ == "__main__":
    main()

"""From the key to the picture: what a step of the debugger costs its reader (python -m tests.bench.steps).

A headless Chromium opens the page of a recorded run of many nodes, tab Matrix. `ahead_ms_*`: next cycle by F10 when its
answer was fetched ahead, from the key's time stamp until after the frame in which all panes are painted. `jump_ms_*`:
cycles drawn from the whole run, of which nothing was fetched. `held_*`: F10 repeated every 30 ms; cycles painted, each
in a frame of its own, a second. `map_ms_*`: script that unpacks and draws the map, in the frames of all these moves;
`map_wide_ms_*` the same of further steps in a window of 1920 x 1080.

All are wall time of this machine at that moment; `*_scaled` are at the reference's calibration. Where other processes
take part of the machine wall time says little: `server_cpu_ms` and `browser_cpu_ms` are processor time of the server's
threads and of all processes of the browser, per move.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import sys
import time
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from django.conf import settings
from playwright.sync_api import ViewportSize, sync_playwright

from tests.bench.calibration import REFERENCE_CPYTHON_S, calibration_cpython_s
from tests.bench.targets import Target, target_rows
from tests.page_modules import page_modules_script
from tests.web_server import web_server_in_thread

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Page

WORKLOAD = "mix"
STEPS, JUMPS, WARM_UP, PRESSES, WIDE_STEPS = 60, 40, 5, 200, 20
WINDOW, WIDE_WINDOW = ViewportSize(width=1280, height=800), ViewportSize(width=1920, height=1080)


TARGETS = (
    Target("ahead_ms_p95", "key to painted, fetched ahead, p95 ms", 150),
    Target("jump_ms_p95", "key to painted, not fetched, p95 ms", 300),
    Target("held_per_second", "cycles painted a second, key held", 8, is_least=True),
    Target("map_ms_p95", "map's script a frame, p95 ms", 8),
    Target("map_wide_ms_p95", "map's script a frame at 1920, p95 ms", 8),
)
_OBSERVE = """() => {
  let from = 0;
  window.begin = () => { from = performance.now(); };
  addEventListener('keydown', ev => { from = ev.timeStamp; }, true);
  window.painted = [];
  window.maps = [];
  const note = list => window.maps.push(...list.getEntriesByName('map').map(one => one.duration));
  new PerformanceObserver(note).observe({ type: 'measure' });
  window.rest = Promise.resolve();
  document.addEventListener('cursor:moved', ({ detail }) => {
    const began = from;
    window.rest = new Promise(done => requestAnimationFrame(frame => setTimeout(() => {
      window.painted.push([detail.cycle, performance.now() - began, frame]);
      done();
    })));
  });
}"""
_MOVED = "window.moved = new Promise(done => document.addEventListener('cursor:moved', done, { once: true })), 0"
_GO = """cycle => pageModule('debugger/cursor.js').then(cursor => {
  window.begin();
  cursor.go(cursor.urlFor({ cycle }));
})"""
_FETCHED = """async () => {
  const { stepUrl } = await pageModule('debugger/cursor.js');
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
    """Yield one line of figures; tell them as a table on standard error.

    Raises ValueError where a held key left out a cycle, LookupError without Chromium.
    """
    from tests.bench.recorded import record

    path = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if path is None:
        raise LookupError("there is no Chromium to measure with")
    _tell(f"recording {cycles:,} cycles of {WORKLOAD} on {nodes:,} nodes ...")
    recorded = record(WORKLOAD, nodes, cycles)
    cookie = recorded.client().cookies[settings.SESSION_COOKIE_NAME]
    with web_server_in_thread() as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path)
        context = browser.new_context(viewport=WINDOW, reduced_motion="reduce")
        context.add_init_script(page_modules_script())
        context.set_default_timeout(60_000)
        context.add_cookies([{"name": cookie.key, "value": cookie.value, "url": address}])
        page = context.new_page()
        page.goto(f"{address}{recorded.url()}?cycle={cycles // 2}")
        page.wait_for_selector("html[data-debugger=ready]")
        page.mouse.move(400, 300)  # steps are fetched ahead once somebody is there
        line = {"workload": f"steps-{WORKLOAD}", "nodes": nodes, "cycles": cycles, "tab": "matrix"}
        figures = measure(page, cycles)
        browser.close()
    line |= figures | _scaled(figures)
    _tell(table(line))
    yield line


def measure(page: Page, cycles: int) -> dict[str, Any]:
    """Step, jump and hold the key; return what it took."""
    calibrations = [calibration_cpython_s()]
    # What is fetched more than one step ahead is still to be found there later.
    page.evaluate("performance.setResourceTimingBufferSize(100000)")
    page.evaluate(_OBSERVE)
    for _ in range(WARM_UP):
        _step(page)
    page.evaluate("window.maps.length = 0")
    _tell(f"{STEPS} steps fetched ahead, {JUMPS} that are not, {PRESSES} presses of a held key ...")
    figures: dict[str, Any] = {"steps": STEPS, "jumps": JUMPS}
    with Processors(figures, STEPS):
        ahead = [_step(page) for _ in range(STEPS)]
    calibrations.append(calibration_cpython_s())
    chance = random.Random(7)
    jumps = [_jump(page, cycle) for cycle in chance.sample(range(1, cycles + 1), JUMPS)]
    _jump(page, cycles // 4)
    calibrations.append(calibration_cpython_s())
    figures |= _of_a_held_key(page.evaluate(_HELD, PRESSES))
    maps: list[float] = page.evaluate("window.maps")
    wide = _wide_maps(page)
    calibrations.append(calibration_cpython_s())
    for name, spent in (("ahead", ahead), ("jump", jumps), ("map", maps), ("map_wide", wide)):
        figures |= {f"{name}_ms_p{q}": round(float(np.percentile(spent, q)), 1) for q in (50, 95)}
    return figures | {"maps": len(maps), "steps_calibration_s": round(sum(calibrations) / len(calibrations), 3)}


def _of_a_held_key(held: list[tuple[int, float, float]]) -> dict[str, Any]:
    """What (cycle, milliseconds, frame) of each paint comes to; raises ValueError where a cycle was not to be seen."""
    left_out = [cycle for (before, _, _), (cycle, _, _) in pairwise(held) if cycle != before + 1]
    if left_out:
        raise ValueError(f"a held key left cycles out before {left_out[:3]}")
    hidden = [cycle for (cycle, _, frame), (_, _, later) in pairwise(held) if frame == later]
    if hidden:
        raise ValueError(f"cycles {hidden[:3]} were painted over in the same frame")
    seconds = (held[-1][2] - held[0][2]) / 1000
    return {"held_painted": len(held), "held_per_second": round((len(held) - 1) / seconds, 1)}


def _wide_maps(page: Page) -> list[float]:
    page.set_viewport_size(WIDE_WINDOW)
    _step(page)
    page.evaluate("window.maps.length = 0")
    for _ in range(WIDE_STEPS):
        _step(page)
    maps: list[float] = page.evaluate("window.maps")
    return maps


def _step(page: Page) -> float:
    """Press the key for the next cycle once that was fetched; return milliseconds until it was painted."""
    page.evaluate(_FETCHED)
    return _painted(page, lambda: page.keyboard.press("F10"))


def _jump(page: Page, cycle: int) -> float:
    return _painted(page, lambda: page.evaluate(_GO, cycle))


def _painted(page: Page, how: Any) -> float:
    page.evaluate(_MOVED)
    how()
    page.evaluate("window.moved.then(() => window.rest)")
    spent: float = page.evaluate("window.painted.at(-1)[1]")
    return spent


class Processors:
    """Adds to figures what processor time the server and the browser take inside of `with`, milliseconds a move."""

    def __init__(self, figures: dict[str, Any], moves: int) -> None:
        self.figures = figures
        self.moves = moves

    def __enter__(self) -> None:
        self.before = self._seconds()

    def __exit__(self, *_: object) -> None:
        for name, before, after in zip(("server", "browser"), self.before, self._seconds(), strict=True):
            self.figures[f"{name}_cpu_ms"] = round(1000 * (after - before) / self.moves, 1)

    def _seconds(self) -> tuple[float, float]:
        """Of this process without the thread that presses keys, and of the browser's processes."""
        return time.process_time() - time.thread_time(), sum(map(_seconds_of, _descendants(os.getpid())))


def _descendants(pid: int) -> list[int]:
    """The browser's processes below a process; none where the system has no /proc."""
    parents: dict[int, list[int]] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        fields = _fields(stat)
        if fields:
            parents.setdefault(int(fields[1]), []).append(int(stat.parent.name))
    pids, level = [], [pid]
    while level:
        level = [child for one in level for child in parents.get(one, [])]
        pids += level
    return [one for one in pids if "chrom" in _command(one)]


def _command(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_text().split("\0")[0]
    except OSError:
        return ""


def _fields(stat: Path) -> list[str]:
    """The fields of a process after its name, from its state on; none for one that has ended."""
    try:
        return stat.read_text().rpartition(")")[2].split()
    except OSError:
        return []


def _seconds_of(pid: int) -> float:
    fields = _fields(Path(f"/proc/{pid}/stat"))
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK") if fields else 0.0


def _scaled(figures: dict[str, Any]) -> dict[str, float]:
    """The figures that have a target, at the reference's calibration."""
    slower = figures["steps_calibration_s"] / REFERENCE_CPYTHON_S
    return {
        f"{one.figure}_scaled": round(figures[one.figure] * slower if one.is_least else figures[one.figure] / slower, 1)
        for one in TARGETS
    }


def table(line: dict[str, Any]) -> str:
    """Return the line as a table for people: each figure with a target, measured, scaled, and whether it is met."""
    sample = f"{line['steps']} steps, {line['jumps']} jumps, {line['held_painted']} painted while held"
    rows = [
        f"{line['nodes']:,} nodes, {line['cycles']:,} cycles of {WORKLOAD}; tab {line['tab']}; {sample}",
        f"calibration {line['steps_calibration_s']} s, reference {REFERENCE_CPYTHON_S}; load {os.getloadavg()[0]:.0f}",
        *target_rows(TARGETS, line),
    ]
    rows.append(f"processor time a step, ms: server {line['server_cpu_ms']}, browser {line['browser_cpu_ms']}")
    return "\n".join(rows)


def _tell(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def main() -> None:
    """Print one JSON line, and a table on standard error."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.steps", description=__doc__)
    parser.add_argument("--nodes", type=int, default=5_000)
    parser.add_argument("--cycles", type=int, default=10_000)
    options = parser.parse_args()
    for line in lines(options.nodes, options.cycles):
        print(json.dumps(line), flush=True)


if __name__ == "__main__":
    main()

"""What a page of a run costs the server (python -m tests.bench.page): CPU milliseconds by the Django test client.

A run of the workload is recorded into a temporary database and its page asked for as browsers do: whole (opened, or
reloaded), the panes that a step replaces with the map's data in them, and the inspector alone with the matrix sorted by
each of its columns. Neighbouring cycles forward and back, and cycles drawn from the whole run. Nothing is conditional,
so no answer is "not modified"; the sizes of the inputs' objects were read before. At the end pages are opened in
Chromium, where there is one: how much later their documents are ready than their HTML alone would be.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import time
from typing import TYPE_CHECKING, Any

import numpy as np

from tests.bench.calibration import calibration_cpython_s, calibration_ns
from tests.bench.dom_ready import dom_ready
from tests.flat_html import flat_html

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from django.test import Client

    from tests.bench.recorded import Recorded

WORKLOADS = ("mix", "burst")
STEPS = 200
SORTED_CYCLES = 25
LOADS = 20
WARM_UP = 5
_ROW = re.compile(r'<tr class="[^"]*" data-node="([^"]+)">(.*?)</tr>', re.DOTALL)
_SCORE = re.compile(r'<td class="sc[^"]*">(-?\d+)</td>')
_TOTAL = re.compile(r'<td class="tot">([\d,]+)</td>')
_MAP = re.compile(r'<script id="map-data"[^>]*>(.*?)</script>', re.DOTALL)
_COLUMN = re.compile(r'<th class="sc[^"]*" scope="col" data-plugin="([^"]+)"')


class Asking:
    """A signed-in browser on one run; `spent` is {what: CPU milliseconds of each answer}."""

    def __init__(self, recorded: Recorded) -> None:
        self.recorded = recorded
        self.client: Client = recorded.client()
        self.spent: dict[str, list[float]] = {}

    def page(self, what: str, cycle: int, target: str = "", **query: Any) -> str:
        """Return the page at a cycle, or with a target the part of it that htmx asks for."""
        text = self.get(what, "", target, cycle=cycle, **query)
        if (not target or target == "main") and f'data-cycle="{cycle}"' not in text:
            raise ValueError(f"{what}: the page of cycle {cycle} shows another one")
        return text

    def get(self, what: str, part: str, target: str, **query: Any) -> str:
        """Return the answer to one request, its time noted under `what` unless that is empty."""
        headers = {"HX-Request": "true", "HX-Target": target} if target else {}
        url = self.recorded.url(part)
        began = time.process_time()
        response = self.client.get(url, query, headers=headers)
        spent = (time.process_time() - began) * 1000
        if response.status_code != 200:
            raise ValueError(f"{what}: {url} with {query} answers {response.status_code}")
        if what:
            self.spent.setdefault(what, []).append(spent)
        return flat_html(response.content.decode())


def lines(nodes: int, cycles: int) -> Iterator[dict[str, Any]]:
    """Yield a line of figures per workload. Raises ValueError where a page shows something else than it should."""
    from tests.bench.recorded import record

    for name in WORKLOADS:
        yield measure(name, record(name, nodes, cycles), nodes, cycles)


def measure(name: str, recorded: Recorded, nodes: int, cycles: int) -> dict[str, Any]:
    """Return p50 and p95 of everything that is asked for."""
    asking, chance = Asking(recorded), random.Random(7)
    steps = min(STEPS, cycles // 4)
    for cycle in range(1, 1 + WARM_UP):
        _visit(asking, "", [cycle])
    start = chance.randrange(1 + WARM_UP, cycles - steps)
    _visit(asking, "forward", range(start, start + steps))
    start = chance.randrange(steps, cycles)
    _visit(asking, "back", range(start, start - steps, -1))
    _visit(asking, "jump", chance.sample(range(1, cycles + 1), steps))
    columns = _sorted(asking, chance.sample(range(1, cycles + 1), min(SORTED_CYCLES, cycles)))
    line: dict[str, Any] = {"workload": f"page-{name}", "nodes": nodes, "cycles": cycles}
    for what, spent in asking.spent.items():
        line |= {f"{what}_ms_p50": _percentile(spent, 50), f"{what}_ms_p95": _percentile(spent, 95)}
    line |= dom_ready(recorded, chance.sample(range(1, cycles + 1), min(LOADS, cycles)))
    return {**line, "columns": columns, "recording_hash": recorded.run.recording_hash}


def _percentile(values: list[float], q: int) -> float:
    return round(float(np.percentile(values, q)), 1)


def _visit(asking: Asking, way: str, cycles: Iterable[int]) -> None:
    """Ask for the page of each cycle, whole and in turn as a step does."""
    for i, cycle in enumerate(cycles):
        # Whoever asks first finds less in memory than who asks second, so they take turns.
        order = (_whole, _panes) if i % 2 else (_panes, _whole)
        for ask in order:
            ask(asking, way, cycle)


def _whole(asking: Asking, way: str, cycle: int) -> None:
    asking.page(way and f"page_{way}", cycle)


def _panes(asking: Asking, way: str, cycle: int) -> None:
    text = asking.page(way and f"panes_{way}", cycle, "main")
    data = json.loads(_MAP.search(text)[1])  # type: ignore[index]
    if not data["states"] or data["marks"]["winner"] is None:
        raise ValueError(f"the map of cycle {cycle} shows no winner")


def _sorted(asking: Asking, cycles: list[int]) -> int:
    """Sort the matrix of each cycle by each of its columns, up and down in turn; return how many columns there are."""
    columns: list[str] = []
    for n, cycle in enumerate(cycles):
        columns = ["", "node", *_COLUMN.findall(asking.page("", cycle, "main"))]
        for i, column in enumerate(columns):
            ways = ("asc", "desc") if (n + i) % 2 else ("desc", "asc")
            text = asking.page("sorted_inspector", cycle, "inspector", sort=column, order=ways[0])
            check_order(text, columns[2:], column, ways[0])
            asking.page("sorted_page", cycle, sort=column, order=ways[1])
    return len(columns)


def check_order(text: str, scores: list[str], column: str, order: str) -> None:
    """Return where the rows shown are in the order asked for; raises ValueError otherwise.

    Nodes that were refused have no scores to be sorted by and stand after the others.
    """
    shown: list[Any] = []
    for node, cells in _ROW.findall(text):
        total = _TOTAL.search(cells)
        if total and column == "node":
            shown.append(node)
        elif total and column:
            shown.append(int(_SCORE.findall(cells)[scores.index(column)]))
        elif total:
            shown.append(int(total[1].replace(",", "")))
    if not shown or shown != sorted(shown, reverse=order == "desc"):
        raise ValueError(f"the matrix is not sorted by {column or 'total'}, {order}")


def main() -> None:
    """Print one JSON line per workload."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.page", description=__doc__)
    parser.add_argument("--nodes", type=int, default=5_000)
    parser.add_argument("--cycles", type=int, default=10_000)
    options = parser.parse_args()
    for line in lines(options.nodes, options.cycles):
        calibration = {"calibration_ns": round(calibration_ns()), "calibration_cpython_s": calibration_cpython_s()}
        print(json.dumps({**line, **calibration}), flush=True)


if __name__ == "__main__":
    main()

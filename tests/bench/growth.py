"""How the time of a cycle grows with nodes, with pods per node and with templates: the mix, one of the three changed.

Each line has the ratio of the time per cycle to that of the smaller cluster, measured in the same process, in turn.
"""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

from tests.bench.calibration import calibration
from tests.bench.engine import measure
from tests.bench.mixes import Mix
from tests.bench.workloads import WORKLOADS, Workload

if TYPE_CHECKING:
    from collections.abc import Iterator

REPEATS = 1
MANY_TEMPLATES = 1_000


def lines(nodes: int, cycles: int) -> Iterator[dict[str, Any]]:
    """A line per kind of growth."""
    plain = WORKLOADS["mix"]
    yield _line("nodes x 10", (plain, nodes, cycles), (plain, 10 * nodes, cycles))
    few, many = (plain._replace(mix=Mix(pods_per_node=count)) for count in (1, 40))
    yield _line("pods per node 1 to 40", (few, nodes, cycles), (many, nodes, cycles))
    templates = plain._replace(mix=Mix(templates=MANY_TEMPLATES))
    enough = max(cycles, 3 * MANY_TEMPLATES)
    yield _line(f"templates 20 to {MANY_TEMPLATES}", (plain, nodes, cycles), (templates, nodes, enough))


Case = tuple[Workload, int, int]


def _line(what: str, small: Case, large: Case) -> dict[str, Any]:
    """Medians of the cycles per second of both, which run in turn, and of the slices' median times."""
    columns: tuple[list[dict[str, Any]], list[dict[str, Any]]] = ([], [])
    for _ in range(REPEATS):
        for case, into in zip((small, large), columns, strict=True):
            workload, nodes, cycles = case
            into.append(measure("mix", nodes, cycles, cached=True, checked=False, workload=workload))
    rates = [_median(figures, "cycles_per_second") for figures in columns]
    times = [_median(figures, "us_per_cycle_p50") for figures in columns]
    return {
        "workload": f"growth: {what}",
        "cycles_per_second": [round(rate, 1) for rate in rates],
        "time_ratio": round(rates[0] / rates[1], 2),
        "us_per_cycle_p50": [round(time, 1) for time in times],
        "p50_ratio": round(times[1] / times[0], 2),
    }


def _median(figures: list[dict[str, Any]], name: str) -> float:
    return float(sorted(figure[name] for figure in figures)[len(figures) // 2])


if __name__ == "__main__":
    for line in lines(5_000, 3_000):
        print(json.dumps({**line, **calibration()}), flush=True)
    sys.exit(0)

"""100 people at a run that makes 1,000 events a second: ``python -m tests.bench.team``.

Prints a JSON line per set-up: web process and worker as the product starts them, the worker held to the pace, all
people in a process of their own (`team_people`), each with a session, the two sockets of a page, and requests of pages,
steps and comments. `requests_ms_*` and `<what>_ms_*` are from before a request to the end of its answer; `age_ms_*` are
from the end of a commit's transaction to the receipt of the message that covers it, at every person. `generator_*` say
how busy and how late the people's own process was: what it is late is in each figure. Raises ValueError for a gap, for
an answer that is no success, and for people whose process had no time of its own.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from typing import TYPE_CHECKING, Any

import numpy as np

from tests.bench import live
from tests.bench.calibration import calibration
from tests.bench.installation import DEADLINE, INSTALLATIONS, Installation
from tests.bench.presence import MEMBERS, SHELL
from tests.bench.workloads import WORKLOADS, manifests_of
from tests.faults.processes import manage, process

if TYPE_CHECKING:
    from collections.abc import Iterator

PEOPLE = 100
EVENTS_PER_SECOND = 1_000
PAGES_LIMIT_MS, AGE_LIMIT_MS = 2_000.0, 1_000.0
MOST_GENERATOR_SHARE = 0.9


def lines(
    nodes: int, cycles: int, set_ups: tuple[str, ...] = tuple(INSTALLATIONS), web_processes: int = 2
) -> Iterator[dict[str, Any]]:
    """Yield figures per set-up: the embedded one has no layer between processes and one web process, the other one has
    Redis and several."""
    pace = ("--events-per-second", str(EVENTS_PER_SECOND), "--commits-per-second", str(live.COMMITS_PER_SECOND))
    for name in set_ups:
        n_web = 1 if name == "sqlite" else web_processes
        with INSTALLATIONS[name](*pace, web_processes=n_web) as installation:
            asked = {"nodes": nodes, "web_processes": n_web}
            limits = {"pages_limit_ms": PAGES_LIMIT_MS, "age_limit_ms": AGE_LIMIT_MS}
            line = _measured(installation, manifests_of(WORKLOADS["mix"], nodes, cycles))
            yield {"workload": f"team, {name}", **asked, **limits, **line, "load": os.getloadavg()[0]}


def _measured(installation: Installation, manifests: list[dict[str, Any]]) -> dict[str, Any]:
    environment, folder = installation.environment, installation.folder
    members = manage(environment, *SHELL[1:], MEMBERS.format(count=PEOPLE, role="reviewer", reviews=0, text=""))
    slug, keys = json.loads(members.splitlines()[-1])
    cookies, out = folder / "cookies", folder / "received"
    cookies.write_text(json.dumps(keys))
    command = [sys.executable, "-m", "tests.bench.team_people", installation.origin, slug, str(cookies), str(out)]
    before, began = installation.web_cpu_seconds(), time.monotonic()
    with process(environment, command, installation.log) as people:
        installation.start_run(manifests, "--schedule", "pending")
        if people.wait(DEADLINE):
            raise ValueError(f"the people did not get everything:\n{installation.log.read_text()[-8000:]}")
    web_share = (installation.web_cpu_seconds() - before) / (time.monotonic() - began)
    return _figures(json.loads(out.read_text()), installation.commits()) | {"web_cpu_share": web_share}


def _figures(received: dict[str, Any], commits: list[live.Commit]) -> dict[str, Any]:
    if received["cpu_share"] > MOST_GENERATOR_SHARE:
        raise ValueError(f"the people's process was busy for {received['cpu_share']:.0%}: the figures are its own")
    sockets: list[tuple[int, list[live.Receipt]]] = received["sockets"]
    for first, receipts in sockets:
        live.check(commits, receipts, first)
    # Each counts from when they had caught up themselves: people come one by one.
    ages = [
        age for _, receipts in sockets for age in live.latencies(commits, receipts, live.caught_up(commits, receipts))
    ]
    of_kind: dict[str, list[float]] = {}
    for what, seconds in received["requests"]:
        of_kind.setdefault(what, []).append(seconds)
    seconds = commits[-1][1] - commits[0][1]
    return {
        "people": len(sockets),
        "events": commits[-1][0],
        "events_per_second": (commits[-1][0] - commits[0][0]) / seconds,
        "requests": len(received["requests"]),
        "asked_again": received["asked_again"],
        "requests_per_second": len(received["requests"]) / seconds,
        **_percentiles("requests", [took for _what, took in received["requests"]]),
        **{name: figure for what in sorted(of_kind) for name, figure in _percentiles(what, of_kind[what]).items()},
        "ages": len(ages),
        **_percentiles("age", ages),
        "generator_cpu_share": received["cpu_share"],
        **_percentiles("generator_lag", received["lags"]),
    }


def _percentiles(what: str, seconds: list[float]) -> dict[str, float]:
    milliseconds = np.percentile(np.array(seconds) * 1000, [50, 99, 100])
    return {f"{what}_ms_{name}": float(ms) for name, ms in zip(("p50", "p99", "max"), milliseconds, strict=True)}


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.team", description=__doc__)
    parser.add_argument("--nodes", type=int, default=200)
    parser.add_argument("--seconds", type=int, default=120)
    parser.add_argument("--set-up", choices=sorted(INSTALLATIONS), action="append")
    parser.add_argument("--web-processes", type=int, default=2, help="of the set-up with PostgreSQL and Redis")
    options = parser.parse_args(argv)
    cycles, measured = options.seconds * EVENTS_PER_SECOND // live.EVENTS_PER_CYCLE, calibration()
    for line in lines(options.nodes, cycles, tuple(options.set_up or INSTALLATIONS), options.web_processes):
        rounded = {name: round(value, 2) if isinstance(value, float) else value for name, value in line.items()}
        print(json.dumps({**measured, **rounded}), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""What 50 tabs see of a run that makes 1,000 events a second: ``python -m tests.bench.live``.

Prints a JSON line per set-up: web process and worker as the product starts them, the worker held to the pace, the tabs
in a process of their own. A latency is the time from the end of a commit's transaction to the receipt of the message
that covers it, at every tab, of every commit since all of them, who come at once, have what was there before them.
A gap in a tab's seqs raises ValueError.
"""

from __future__ import annotations

import argparse
import json
import sys
from bisect import bisect_left
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from tests.bench.installation import INSTALLATIONS, Installation
from tests.bench.workloads import WORKLOADS, manifests_of

if TYPE_CHECKING:
    from collections.abc import Iterator

SOCKETS = 50
EVENTS_PER_SECOND = 1_000
COMMITS_PER_SECOND = 4
"""As the product commits: a slice is a quarter of a second."""
EVENTS_PER_CYCLE = 12

Commit = tuple[int, float]
Receipt = tuple[float, int, int]


def lines(nodes: int, cycles: int, set_ups: tuple[str, ...] = tuple(INSTALLATIONS)) -> Iterator[dict[str, Any]]:
    """Figures per set-up: the embedded one has no layer between processes, the other one has Redis."""
    pace = ("--events-per-second", str(EVENTS_PER_SECOND), "--commits-per-second", str(COMMITS_PER_SECOND))
    for name in set_ups:
        with INSTALLATIONS[name](*pace) as installation:
            yield {"workload": f"live, {name}", "nodes": nodes, "sockets": SOCKETS} | _watched(
                installation, manifests_of(WORKLOADS["mix"], nodes, cycles)
            )


def _watched(installation: Installation, manifests: list[dict[str, Any]]) -> dict[str, Any]:
    web_before = installation.web_cpu_seconds()
    with installation.sockets(SOCKETS) as received:
        installation.start_run(manifests, "--schedule", "pending")
    web = installation.web_cpu_seconds() - web_before
    received_messages, commits = json.loads(received.read_text()), installation.commits()
    sockets: list[list[Receipt]] = received_messages["sockets"]
    for receipts in sockets:
        check(commits, receipts)
    since = max(caught_up(commits, receipts) for receipts in sockets)
    late = [second for receipts in sockets for second in latencies(commits, receipts, since)]
    if len(sockets) != SOCKETS or not late:
        raise ValueError(f"{len(sockets)} sockets, {len(late)} commits followed")
    seconds = commits[-1][1] - commits[0][1]
    events = commits[-1][0] - commits[0][0]
    milliseconds = np.percentile(np.array(late) * 1000, [50, 90, 99, 100])
    return {
        "events": commits[-1][0],
        "events_per_second": events / seconds,
        "commits_per_second": (len(commits) - 1) / seconds,
        "all_caught_up_ms": (since - min(receipts[0][0] for receipts in sockets)) * 1000,
        "latencies": len(late),
        **{
            f"latency_ms_{name}": float(ms) for name, ms in zip(("p50", "p90", "p99", "max"), milliseconds, strict=True)
        },
        "messages_per_socket": sum(map(len, sockets)) / SOCKETS,
        "megabytes_sent": received_messages["bytes"] / 1e6,
        "web_cpu_share": web / seconds,
    }


def check(commits: list[Commit], receipts: list[Receipt], first: int = 0) -> None:
    """Raises ValueError for a gap, a repetition, or events from seq `first` on that never came."""
    for before, after in pairwise(receipts):
        if after[1] != before[2] + 1:
            raise ValueError(f"seq {before[2]} is followed by seq {after[1]}")
    if receipts[0][1] != first or receipts[-1][2] + 1 != commits[-1][0]:
        raise ValueError(f"received seqs {receipts[0][1]} to {receipts[-1][2]} of {commits[-1][0]}")


def caught_up(commits: list[Commit], receipts: list[Receipt]) -> float:
    """When the socket had everything that was committed before its first receipt."""
    last_seq = max((seq for seq, at in commits if at <= receipts[0][0]), default=0)
    return next(at for at, _, last in receipts if last + 1 >= last_seq)


def latencies(commits: list[Commit], receipts: list[Receipt], since: float) -> Iterator[float]:
    """Seconds from each commit after the moment `since` until its last event was received."""
    ends = [last + 1 for _, _, last in receipts]
    for seq, at in commits:
        if at > since:
            yield receipts[bisect_left(ends, seq)][0] - at


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.live", description=__doc__)
    parser.add_argument("--nodes", type=int, default=200)
    parser.add_argument("--seconds", type=int, default=20)
    parser.add_argument("--set-up", choices=sorted(INSTALLATIONS), action="append")
    options = parser.parse_args(argv)
    cycles = options.seconds * EVENTS_PER_SECOND // EVENTS_PER_CYCLE
    for line in lines(options.nodes, cycles, tuple(options.set_up or INSTALLATIONS)):
        print(json.dumps({k: round(v, 2) if isinstance(v, float) else v for k, v in line.items()}), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""The product's Celery worker with a clock around each part of a run: where the time of a segment goes.

``python -m tests.bench.clocked_worker FIGURES [--events-per-second N --commits-per-second N] -- <celery's words>``

Appends a JSON line to FIGURES for each segment, and to FIGURES.commits "<end seq> <monotonic seconds>" per commit.
With a pace, the run makes so many events and commits per second, since the engine alone would be through in a blink.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import runpy
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import django

if TYPE_CHECKING:
    from collections.abc import Callable


class Parts:
    """Seconds by part, each without the parts called inside it: {part: [CPU of the process, wall]}."""

    def __init__(self) -> None:
        self.spent: dict[str, list[float]] = {}
        self._open: list[str] = []
        self._since = (0.0, 0.0)

    def begin(self, part: str) -> None:
        self._charge()
        self._open.append(part)

    def end(self) -> None:
        self._charge()
        self._open.pop()

    def _charge(self) -> None:
        now = (time.process_time(), time.perf_counter())
        if self._open:
            spent = self.spent.setdefault(self._open[-1], [0.0, 0.0])
            for i in (0, 1):
                spent[i] += now[i] - self._since[i]
        self._since = now

    def around(self, part: str, function: Callable[..., Any]) -> Callable[..., Any]:
        """The function, its time charged to the part."""

        def timed(*args: Any, **options: Any) -> Any:
            self.begin(part)
            try:
                return function(*args, **options)
            finally:
                self.end()

        return timed


class Pace:
    """Holds a session to so many events per second, in slices of one commit each."""

    def __init__(self, events: float, commits: float) -> None:
        self.events, self.commits = events, commits
        self.began: tuple[float, int] | None = None

    def around(self, step: Callable[[Any], bool]) -> Callable[..., bool]:
        """RunSession.advance that stops after the events of one commit, when their time has come."""

        def advance(session: Any, *_limits: Any) -> bool:
            began, first = self.began = self.began or (time.monotonic(), session.head_seq)
            until = session.head_seq + self.events / self.commits
            goes_on = True
            while goes_on and session.head_seq < until:
                goes_on = step(session)
            time.sleep(max(0.0, began + (session.head_seq - first) / self.events - time.monotonic()))
            return not goes_on

        return advance


def install(figures: Path, pace: Pace | None) -> None:
    """Put the clocks around the product's functions; only this process and its children have them."""
    from dashboard.runs import committing, execution, sessions
    from dashboard.runs.lifecycle import leases, quotas, waiting, wakeups
    from dashboard.runs.storage import rows
    from scheduler_core.simulate import RunSession

    parts = Parts()
    session, segment = RunSession, execution.Segment
    if pace is not None:
        session.advance = pace.around(lambda run: run.simulation.step())  # type: ignore[method-assign]
    for owner, name, part in (
        (sessions, "settled_inputs", "inputs"),
        (session, "start", "engine"),
        (session, "resume", "engine"),
        (session, "advance", "engine"),
        (session, "initial_keyframe", "recording"),
        (session, "cut_chunk", "recording"),
        (session, "recording_hash", "recording"),
        (rows, "build", "rows"),
        (committing.Commits, "commit", "database"),
        (sessions, "_start", "database"),
        (segment, "_finish", "database"),
        (leases, "read_requests", "database"),
        (leases, "renew", "database"),
        (waiting, "others", "database"),
        (quotas, "excess", "database"),
        (wakeups, "notify", "broadcast"),
    ):
        setattr(owner, name, parts.around(part, getattr(owner, name)))
    _tell_commits(figures.with_name(figures.name + ".commits"))
    _tell_segments(segment, parts, figures)


def _tell_commits(path: Path) -> None:
    """Note when each transaction is over: the hint is the next thing that happens."""
    from dashboard.runs.lifecycle import wakeups
    from dashboard.runs.storage import batches

    write, poke, lines, newest = batches.write, wakeups.notify, path.open("a", buffering=1), [0]

    def noted(lease: Any, batch: Any) -> None:
        write(lease, batch)
        newest[0] = batch.seq

    def noting(run_id: int) -> None:
        lines.write(f"{newest[0]} {time.monotonic()}\n")
        poke(run_id)

    batches.write, wakeups.notify = noted, noting


def _tell_segments(segment: Any, parts: Parts, figures: Path) -> None:
    run_to_end = segment.run_to_end

    def noting(self: Any) -> None:
        parts.spent.clear()
        cpu, wall = time.process_time(), time.perf_counter()
        parts.begin("rest")
        try:
            run_to_end(self)
        finally:
            parts.end()
            line = {
                "run": self.run.pk,
                "cpu": time.process_time() - cpu,
                "wall": time.perf_counter() - wall,
                "parts": parts.spent,
                "peak_rss_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
            }
            with figures.open("a") as file:
                file.write(json.dumps(line) + "\n")

    segment.run_to_end = noting


def main(argv: list[str]) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("figures", type=Path)
    parser.add_argument("--events-per-second", type=float)
    parser.add_argument("--commits-per-second", type=float, default=20.0)
    at = argv.index("--")
    options = parser.parse_args(argv[:at])
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "dashboard.settings")
    django.setup()
    pace = Pace(options.events_per_second, options.commits_per_second) if options.events_per_second else None
    install(options.figures, pace)
    sys.argv = ["celery", *argv[at + 1 :]]
    runpy.run_module("celery", run_name="__main__")


if __name__ == "__main__":
    main(sys.argv[1:])

"""A long line of runs: `python -m tests.faults.endurance.line --runs 200 --cancelled 60` prints JSON for each set-up.

People queue runs while no worker is there and cancel some; then workers start, and runs are cancelled while they are
executed and about when they end. Ends with 1 where a run ended twice or otherwise, went on after it was cancelled, or
waited for more than one run of each of the others.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import sys
import tempfile
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import django

if TYPE_CHECKING:
    from tests.faults.installations import Installation
    from tests.faults.person import Person

PEOPLE = 5
N_NODES, N_PODS = 30, 600
CLUSTER = "line"
SEEDS = (0, 1)
LOOK_SECONDS = 0.02
END_SECONDS = 1800.0
# In shares of the time that a run takes: while it is executed, and about its end.
WHEN = {"running": (0.1, 0.7), "ending": (0.8, 1.2)}
ROWS = """
    SELECT r.number, r.state, r.recording_hash, r.finished_at, h.seq, r.started_at, r.created_by_id
    FROM runs_run r JOIN runs_runhead h ON h.run_id = r.id ORDER BY r.number"""


CHUNKS = """
    SELECT count(*) FROM runs_recordingchunk WHERE run_id = (SELECT id FROM runs_run WHERE number = {})"""
REFUSED = 400


class Standing(NamedTuple):
    """How a run stands at a look."""

    number: int
    state: str
    hash: str
    finished_at: Any
    seq: int
    started_at: Any
    person: int


@dataclass
class Line:
    """The runs by number: who cancels which when, and what looks at them found."""

    installation: Installation
    people: list[Person]
    chance: random.Random
    seeds: dict[int, int] = field(default_factory=dict)
    owners: dict[int, Person] = field(default_factory=dict)
    cancelled: dict[str, dict[int, int]] = field(default_factory=dict)
    chunks: dict[int, int] = field(default_factory=dict)
    ended: dict[int, Standing] = field(default_factory=dict)
    wrong: list[str] = field(default_factory=list)

    def queue(self, runs: int) -> None:
        """Let all people queue their runs at the same time."""
        from tests.faults.story import start_by_form

        def of(person: Person, count: int) -> None:
            for turn in range(count):
                seed = SEEDS[turn % len(SEEDS)]
                number = start_by_form(person, CLUSTER, "all", seed)
                self.seeds[number], self.owners[number] = seed, person

        with ThreadPoolExecutor(len(self.people)) as pool:
            for begun in [pool.submit(of, person, runs // len(self.people)) for person in self.people]:
                begun.result()

    def cancel(self, number: int, when: str) -> None:
        """Cancel a run by its button; note the status of the answer."""
        answer = self.owners[number].post(f"/w/default/runs/{number}/cancel", {})
        self.cancelled.setdefault(when, {})[number] = answer.status
        if answer.status < REFUSED:
            self.chunks[number] = self.n_chunks(number)

    def n_chunks(self, number: int) -> int:
        """Return how many chunks of the run are recorded."""
        return int(self.installation.ask(CHUNKS.format(number))[0])

    def rows(self) -> list[Standing]:
        """Return how all runs stand; note what has ended, and what changes after that."""
        standing = [Standing(*row) for row in self.installation.rows(ROWS)]
        for one in standing:
            has_ended = one.state in ("finished", "failed", "cancelled")
            if has_ended and (before := self.ended.setdefault(one.number, one)) != one:
                self.wrong.append(f"run {one.number} ended as {before} and later was {one}")
        return standing

    def watch(self, to_cancel: dict[int, str]) -> None:
        """Look until every run has ended; cancel those of `to_cancel`, {number: "running" or "ending"}, in time."""
        deadline, takes, began, timers = time.monotonic() + END_SECONDS, 1.0, dict[int, float](), []
        while len(self.ended) < len(self.seeds):
            if time.monotonic() > deadline:
                self.wrong.append(f"{len(self.seeds) - len(self.ended)} runs have not ended")
                break
            for one in self.rows():
                if one.state == "running" and one.number not in began:
                    began[one.number] = time.monotonic()
                    if when := to_cancel.get(one.number):
                        delay = takes * self.chance.uniform(*WHEN[when])
                        timers.append(threading.Timer(delay, self.cancel, (one.number, when)))
                        timers[-1].start()
                elif one.state == "finished" and (since := began.pop(one.number, 0.0)):
                    takes = 0.7 * takes + 0.3 * (time.monotonic() - since)
            time.sleep(LOOK_SECONDS)
        for timer in timers:
            timer.join()


def most_between(starts: list[int]) -> int:
    """Return the most runs of others between two runs of one person who still had one waiting, by the order of starts.

    `starts` are the people of the runs in the order in which these were begun.
    """
    most, last = 0, dict[int, int]()
    for place, person in enumerate(starts):
        if person in last:
            most = max(most, place - last[person] - 1)
        last[person] = place
    return max([most, *(starts.index(person) for person in set(starts))])


def judge(line: Line, workers: int) -> list[str]:
    """Return what is wrong, in words."""
    from tests.dashboard.run_helpers import cluster_of, undisturbed_hash

    hashes = {seed: undisturbed_hash(cluster_of(N_NODES, N_PODS), seed=seed) for seed in SEEDS}
    wrong, standing = list(line.wrong), line.rows()
    in_line = line.cancelled.get("queued", {})
    for one in standing:
        if one.number in in_line and (one.state, one.seq, one.started_at) != ("cancelled", 0, None):
            wrong.append(f"run {one.number} was cancelled in the queue and is {one}")
        if one.state == "finished" and one.hash != hashes[line.seeds[one.number]]:
            wrong.append(f"run {one.number} has another hash")
        # A cancelled run ends with the chunk under way, which may be its last.
        if one.number in line.chunks and line.n_chunks(one.number) > line.chunks[one.number] + 1:
            wrong.append(f"run {one.number} went on after it was cancelled")
        if one.state != "finished" and (one.state != "cancelled" or one.number not in line.chunks):
            wrong.append(f"run {one.number} is {one.state}")
    begun = sorted((one for one in standing if one.started_at), key=lambda one: str(one.started_at))
    between = most_between([one.person for one in begun])
    # Two workers that look at once may see the same turns.
    if between > (len(line.people) - 1) * workers:
        wrong.append(f"{between} runs of others came between two of one person")
    return wrong


def figures(set_up: str, folder: Path, runs: int, cancelled: int, seed: int) -> dict[str, Any]:
    """Return the figures of one set-up; `wrong` says in words what is not as it should be."""
    from tests.faults.installations import embedded, production
    from tests.faults.processes import wait_until
    from tests.health import answers

    folder.mkdir()
    workers = {"embedded": ("worker1",), "production": ("worker1", "worker2")}[set_up]
    with {"embedded": embedded, "production": production}[set_up](folder) as installation:
        installation.start("web")
        wait_until(lambda: answers(("127.0.0.1", installation.port)), "no web server", installation.log)
        line = Line(installation, _people(installation), random.Random(seed))
        line.queue(runs)
        numbers = line.chance.sample(sorted(line.seeds), cancelled)
        in_line, running, ending = numbers[0::3], numbers[1::3], numbers[2::3]
        for number in in_line:
            line.cancel(number, "queued")
        began = time.monotonic()
        installation.start(*workers)
        line.watch(dict.fromkeys(running, "running") | dict.fromkeys(ending, "ending"))
        seconds = time.monotonic() - began
        time.sleep(1)  # Whatever goes on although it was cancelled would do so now.
        wrong = judge(line, len(workers))
        starts = [one.person for one in sorted(line.rows(), key=lambda one: str(one.started_at)) if one.started_at]
        return {
            "set_up": set_up,
            "runs": len(line.seeds),
            "states": dict(Counter(one.state for one in line.rows())),
            "cancels": {when: dict(Counter(map(str, of.values()))) for when, of in sorted(line.cancelled.items())},
            "most_between": most_between(starts),
            "seconds": round(seconds, 1),
            "wrong": wrong,
        }


def _people(installation: Installation) -> list[Person]:
    """Return editors with sessions of their own, after the owner has imported the cluster."""
    from tests.bench.presence import MEMBERS, SHELL
    from tests.dashboard.run_helpers import cluster_of
    from tests.faults.person import Person
    from tests.faults.processes import manage, sign_in
    from tests.faults.story import Story

    owner = Person(installation.port, sign_in(installation.environment))
    Story(installation, owner, random.Random(0)).import_as(CLUSTER, cluster_of(N_NODES, N_PODS))
    members = MEMBERS.format(count=PEOPLE, role="editor", reviews=0, text="")
    _slug, keys = json.loads(manage(installation.environment, *SHELL[1:], members).splitlines()[-1])
    return [Person(installation.port, key) for key in keys]


def main() -> int:
    """Return 1 where something was wrong."""
    reader = argparse.ArgumentParser(prog="python -m tests.faults.endurance.line", description=__doc__)
    reader.add_argument("--runs", type=int, default=200)
    reader.add_argument("--cancelled", type=int, default=60)
    reader.add_argument("--seed", type=int, default=7)
    reader.add_argument("--set-up", action="append", choices=("embedded", "production"))
    options = reader.parse_args()
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")
    django.setup()
    wrong = False
    with tempfile.TemporaryDirectory(prefix="line-") as name:
        for set_up in options.set_up or ("embedded", "production"):
            line_of_figures = figures(set_up, Path(name) / set_up, options.runs, options.cancelled, options.seed)
            print(json.dumps(line_of_figures), flush=True)
            wrong |= bool(line_of_figures["wrong"])
    return int(wrong)


if __name__ == "__main__":
    sys.exit(main())

"""What must be true at the end of a simulation: every run, form, task, topic and question, against the replies.

Idea: when all work has ended, the database is read by plain SQL and compared with the replies that people got and with
runs that nobody disturbed.

Invariant: see `Witness`, whose list of what is wrong these go to.
Cost: some ten queries.

    wrong = faults_at_end(database, prepared, people, pages)
"""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING, Any

from tests.faults.simulation.prepared import COUNTS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tests.faults.simulation.database import Database
    from tests.faults.simulation.pages import Page
    from tests.faults.simulation.people import Person
    from tests.faults.simulation.prepared import Prepared

RUN_COLUMNS = ("id", "number", "state", "seed", "recording_hash", "error", "seq", "cycle", *COUNTS)
TASK_COLUMNS = ("id", "title", "asked_at", "ended_at", "error", "starts", "location")
RUNS = "runs_run AS run JOIN runs_runhead AS head ON head.run_id = run.id"
MOST_STARTS = 3


def faults_at_end(
    database: Database, prepared: Prepared, people: Sequence[Person], pages: Sequence[Page]
) -> Iterator[str]:
    """Yield a sentence for everything that is wrong."""
    runs = _rows(database, RUN_COLUMNS, RUNS)
    runs = [run for run in runs if run["id"] > prepared.n_runs]
    cancelled = {number for person in people for number in person.replies.cancelled}
    for run in runs:
        yield from _of_run(database, prepared, run, run["number"] in cancelled)
    yield from _of_forms(database, people, runs)
    yield from _of_tasks(database, people)
    for page in pages:
        yield from _of_page(page, people)


def left_over(database: Database) -> str:
    """Return what has not ended."""
    runs = database.rows(f"SELECT number, state, lease_owner FROM {RUNS} WHERE state NOT IN ('finished', 'cancelled')")
    tasks = database.rows("SELECT id, starts, claimed_at, asked_at FROM clusters_backgroundtask WHERE ended_at IS NULL")
    return f"open: runs {runs}, tasks {tasks}"


def _rows(database: Database, columns: Sequence[str], tables: str) -> list[dict[str, Any]]:
    rows = database.rows(f"SELECT {', '.join(columns)} FROM {tables}")
    return [dict(zip(columns, row, strict=True)) for row in rows]


def _of_run(database: Database, prepared: Prepared, run: dict[str, Any], is_cancelled: bool) -> Iterator[str]:
    name, undisturbed = f"run {run['number']}", prepared.endings[run["seed"]]
    if run["state"] not in ("finished", "cancelled"):
        yield f"{name} ended as {run['state']}: {run['error']}"
    chunks = database.rows(
        f'SELECT first_seq, n_events FROM runs_recordingchunk WHERE run_id = {run["id"]} ORDER BY "index"'
    )
    at = 0
    for first_seq, n_events in chunks:
        if first_seq != at:
            yield f"{name} has a chunk from event {first_seq} on after one that ends at {at}"
        at = first_seq + n_events
    if at != run["seq"]:
        yield f"{name} has {at} events in its chunks, and a head at {run['seq']}"
    ((n_cycles, last),) = database.rows(f"SELECT COUNT(*), MAX(number) FROM runs_cycle WHERE run_id = {run['id']}")
    if run["cycle"] not in (n_cycles, n_cycles + 1) or n_cycles != (last or 0):
        yield f"{name} has {n_cycles} cycles up to {last}, and a head at cycle {run['cycle']}"
    attached = database.rows(f"SELECT hits, error FROM runs_attachedbreakpoint WHERE run_id = {run['id']}")
    for hits, error in attached:
        if hits != run["scheduled"] or error:
            yield f"{name} has {run['scheduled']} hits, and {hits} were counted {error}"
    if run["state"] == "finished":
        counts = tuple(run[column] for column in COUNTS)
        if (run["recording_hash"], run["seq"], run["cycle"]) != undisturbed[:3]:
            yield f"{name} ended with another hash or length than a run that nobody disturbed"
        if counts != undisturbed.counts:
            yield f"{name} has the counts {counts} instead of {undisturbed.counts}"
    elif not is_cancelled and not _is_asked_for(database, run):
        yield f"{name} is cancelled, and nobody cancelled it"


def _is_asked_for(database: Database, run: dict[str, Any]) -> bool:
    """Whether somebody cancelled the run, perhaps without getting a reply: the log of actions says so."""
    details = json.dumps({"number": run["number"]})
    sql = f"SELECT 1 FROM accounts_auditentry WHERE action = 'run.cancelled' AND details = '{details}'"
    return bool(database.rows(sql))


def _of_forms(database: Database, people: Sequence[Person], runs: Sequence[dict[str, Any]]) -> Iterator[str]:
    made = Counter(
        token for (token,) in database.rows("SELECT object FROM accounts_auditentry WHERE action = 'simulated.run'")
    )
    for person in people:
        for token in sorted(person.replies.sent):
            if made[token] != 1:
                yield f"the form {token} made {made[token]} runs"
    if made.total() != len(runs):
        yield f"{made.total()} forms made {len(runs)} runs"
    numbers = {run["number"] for run in runs}
    for person in people:
        for token, number in person.replies.started.items():
            if number not in numbers:
                yield f"{token} led to run {number}, which is not there"


def _of_tasks(database: Database, people: Sequence[Person]) -> Iterator[str]:
    tasks = _rows(database, TASK_COLUMNS, "clusters_backgroundtask")
    made = Counter(
        token for (token,) in database.rows("SELECT object FROM accounts_auditentry WHERE action = 'simulated.task'")
    )
    for task in tasks:
        is_done = task["location"] != ""
        if task["asked_at"] is None:
            continue  # Its request died, and was sent again.
        if task["ended_at"] is None:
            yield f"task {task['id']} has not ended"
        if made[task["title"]] != is_done:
            yield f"task {task['id']} has the end {task['location']!r} and {made[task['title']]} results"
        if task["error"] and task["starts"] < MOST_STARTS:
            yield f"task {task['id']} ended after {task['starts']} starts: {task['error']}"
    by_token = Counter(task["title"] for task in tasks if task["asked_at"] is not None)
    for person in people:
        for token in person.replies.tasks:
            if by_token[token] != 1:
                yield f"the form {token} made {by_token[token]} tasks"
        for token in person.replies.cancelled_tasks:
            if made[token]:
                yield f"the task {token} was cancelled and wrote its result"


def _of_page(page: Page, people: Sequence[Person]) -> Iterator[str]:
    if page.is_all or page.first_version is None:
        return
    announced = {topic: version for person in people for topic, version in person.replies.announced.items()}
    for topic, version in announced.items():
        if version > page.first_version and topic not in page.topics:
            yield f"a page at version {page.version} has not heard of {topic}, which changed with version {version}"

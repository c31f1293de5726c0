"""What must be true when the killing is over: everything is as in an installation that nobody disturbed."""

from __future__ import annotations

import hashlib
import sqlite3
import time
from collections import Counter
from functools import cache
from typing import TYPE_CHECKING, Any

import psycopg

from dashboard.runs.models import EventIndexPiece, Preparation, RecordingChunk, RecordingKeyframe, RunOutcomes
from dashboard.runs.storage import bulk
from dashboard.runs.storage import rows as run_rows
from dashboard.runs.storage.deletion import TABLES
from scheduler_core.manifests import load_manifests
from scheduler_core.simulate import RunInputs, RunSession, timeline_from_raw
from tests.dashboard.run_helpers import FOLLOWED
from tests.faults.story import EDITED, Story
from tests.faults.workloads import WORKLOADS, Workload

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from django.db import models

    from tests.faults.installations import Installation

END_SECONDS = 300.0
# Where chunks and keyframes are cut depends on the moments of kills; their events and rows do not. A summary of
# outcomes and the index of events are not recorded: they follow from the events, and are prepared for whoever opens
# their pages, or computed there where a kill left none.
BESIDE = (RecordingChunk, RecordingKeyframe, RunOutcomes, Preparation, EventIndexPiece)
ROWS = [(model, key) for model, key in TABLES if model not in BESIDE]


def patiently(ask: Callable[[str], Any], query: str) -> Any:
    """Return the answer, asking again while the database is away."""
    deadline = time.monotonic() + 60
    while True:
        try:
            return ask(query)
        except (psycopg.OperationalError, sqlite3.OperationalError):
            if time.monotonic() > deadline:
                raise
            time.sleep(0.1)


def wait_for_the_end(installation: Installation) -> float:
    """Return the seconds until no run waits, executes or is being deleted."""
    began, deadline = time.monotonic(), time.monotonic() + END_SECONDS
    query = "SELECT count(*) FROM runs_run WHERE state NOT IN ('finished', 'failed', 'cancelled', 'paused')"
    while (left := patiently(installation.ask, query)[0]) > 0:
        assert time.monotonic() < deadline, f"{left} runs have not ended; {installation.log.read_text()[-8000:]}"
        time.sleep(0.1)
    return time.monotonic() - began


def digest_of(installation: Installation, run_id: int) -> dict[str, str]:
    """Return {table: hash of the run's rows} and {"hash": recording hash}."""
    stored_values = {"hash": installation.ask(f"SELECT recording_hash FROM runs_run WHERE id = {run_id}")[0]}
    for model, _key in ROWS:
        names = ", ".join(f'"{name}"' for name in _columns(model))
        query = f'SELECT {names} FROM "{model._meta.db_table}" WHERE run_id = {run_id}'
        stored_values[model._meta.db_table] = _hash_of(_sorted(model, installation.rows(query)))
    return stored_values


@cache
def undisturbed(name: str, seed: int) -> dict[str, str]:
    """Return the digest of a run of the workload that is executed in one go, in this process."""
    session, events = RunSession.start(_inputs(WORKLOADS[name], seed)), []
    session.observe(lambda seq, event: events.append((seq, event)))
    while not session.advance():
        pass
    tables = run_rows.build(0, events).tables
    rows = {model: _sorted(model, _without_run(model, tables.get(model, ()))) for model, _key in ROWS}
    hashes = {model._meta.db_table: _hash_of(of_model) for model, of_model in rows.items()}
    return {"hash": session.recording_hash()} | hashes


def _inputs(workload: Workload, seed: int) -> RunInputs:
    return RunInputs(
        objects=load_manifests(workload.manifests).objects,
        schedule=workload.schedule,
        policies=FOLLOWED,
        timeline=timeline_from_raw({"entries": workload.entries}, workload.manifests),
        seed=seed,
    )


def _without_run(model: type[models.Model], rows: Sequence[Sequence[Any]]) -> list[list[Any]]:
    place = bulk.column_names(model).index("run_id")
    return [[*row[:place], *row[place + 1 :]] for row in rows]


def _columns(model: type[models.Model]) -> list[str]:
    return [name for name in bulk.column_names(model) if name != "run_id"]


def _sorted(model: type[models.Model], rows: Sequence[Sequence[Any]]) -> list[Sequence[Any]]:
    """Return rows (in the order of `_columns`) by their key."""
    places = [_columns(model).index(name) for name in model._meta.pk.columns if name != "run_id"]
    return sorted(rows, key=lambda row: tuple(row[place] for place in places))


def _hash_of(rows: Sequence[Sequence[Any]]) -> str:
    # SQLite has no booleans.
    content = repr([tuple(int(value) if isinstance(value, bool) else value for value in row) for row in rows])
    return hashlib.sha256(content.encode()).hexdigest()


def differences(installation: Installation, story: Story) -> list[str]:
    """Return what is not as it should be, in words."""
    of_runs = [*_of_runs(installation, story), *_of_left_overs(installation), *_of_comments(installation, story)]
    return [*of_runs, *_of_clusters(installation, story)]


def _of_runs(installation: Installation, story: Story) -> list[str]:
    wrong = []
    stored_values = {
        number: (run_id, state, error)
        for run_id, number, state, error in installation.rows("SELECT id, number, state, error FROM runs_run")
    }
    expected_runs = set(story.launched) - story.deleted
    if set(stored_values) != expected_runs:
        wrong.append(f"runs {sorted(stored_values)} instead of {sorted(expected_runs)}")
    for number in sorted(expected_runs & set(stored_values)):
        run_id, state, error = stored_values[number]
        if state != "finished":
            wrong.append(f"run {number} is {state}: {error}")
            continue
        digest, expected = digest_of(installation, run_id), undisturbed(*story.launched[number])
        wrong += [f"run {number}: {table} differs" for table, own in digest.items() if own != expected[table]]
        wrong += _of_log(installation, run_id, number) + _of_index(installation, run_id, number)
    return wrong


def _of_log(installation: Installation, run_id: int, number: int) -> list[str]:
    """Return gaps and overlaps between the run's chunks."""
    chunks = installation.rows(
        f'SELECT "index", first_seq, n_events FROM runs_recordingchunk WHERE run_id = {run_id} ORDER BY "index"'
    )
    seq, wrong = 0, []
    for place, (index, first, count) in enumerate(chunks):
        if (index, first) != (place, seq):
            wrong.append(f"run {number}: chunk {index} at {first} stands where {place} at {seq} belongs")
        seq = first + count
    head = installation.ask(f"SELECT seq FROM runs_runhead WHERE run_id = {run_id}")[0]
    return wrong if head == seq else [*wrong, f"run {number}: {seq} events under a head of {head}"]


def _of_index(installation: Installation, run_id: int, number: int) -> list[str]:
    """Return gaps and overlaps between the pieces of the run's index of events; there may be none."""
    pieces = installation.rows(
        f"SELECT first_seq, end_seq FROM runs_eventindexpiece WHERE run_id = {run_id} ORDER BY first_seq"
    )
    starts = [0, *(end for _first, end in pieces)]
    return [
        f"run {number}: events from {first} are indexed where {start} is the next"
        for (first, _end), start in zip(pieces, starts, strict=False)
        if first != start
    ]


def _of_left_overs(installation: Installation) -> list[str]:
    wrong = []
    for model, _key in TABLES:
        table = model._meta.db_table
        count = installation.ask(f'SELECT count(*) FROM "{table}" WHERE run_id NOT IN (SELECT id FROM runs_run)')[0]
        if count:
            wrong.append(f"{count} rows of deleted runs are left in {table}")
    return wrong


def _of_comments(installation: Installation, story: Story) -> list[str]:
    """Return comments that were answered and are not there once, on their run."""
    rows = installation.rows(
        "SELECT c.text, r.number FROM review_comment c JOIN review_thread t ON t.id = c.thread_id "
        "JOIN runs_run r ON r.id = t.run_id"
    )
    expected = Counter((text, number) for text, number in story.comments.items() if number not in story.deleted)
    differing = (Counter(rows) - expected) + (expected - Counter(rows))
    return [f"{text} on run {number} is not there once" for text, number in sorted(differing)]


def _of_clusters(installation: Installation, story: Story) -> list[str]:
    rows = installation.rows(
        "SELECT c.slug, count(r.id), max(r.number) FROM clusters_cluster c "
        "LEFT JOIN clusters_revision r ON r.cluster_id = c.id GROUP BY c.slug"
    )
    stored_values = {slug: (count, newest) for slug, count, newest in rows}
    expected = dict.fromkeys(story.imported, (1, 1)) | {EDITED: (1 + story.edits, 1 + story.edits)}
    wrong = [f"cluster {name}: imported {times} times" for name, times in Counter(story.imported).items() if times > 1]
    return wrong + [
        f"cluster {name}: {stored_values.get(name)} revisions instead of {expected.get(name)}"
        for name in sorted(set(stored_values) | set(expected))
        if stored_values.get(name) != expected.get(name)
    ]

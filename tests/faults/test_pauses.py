"""Processes that stand still for long, and clocks that jump: who wakes up late writes nothing that is not theirs."""

from __future__ import annotations

import sqlite3
import threading
import time
from contextlib import closing
from pathlib import Path

import pytest

from tests.dashboard.run_helpers import cluster_of, undisturbed_hash
from tests.faults.installations import embedded, pause, resume
from tests.faults.lengths import length
from tests.faults.person import Person
from tests.faults.processes import sign_in, start_run, wait_until
from tests.faults.test_windows import TEXT
from tests.health import answers

pytestmark = pytest.mark.slow

STILL_SECONDS = length(short=3, long=30)
LEASE_SECONDS = length(short=2, long=20)
MANIFESTS = cluster_of(*length(short=(200, 3000), long=(500, 5000)))
# All that a worker writes of a run, as one line that differs when anything does.
WRITTEN = """
    SELECT seq, cycle, at_us, bound, size_bytes, rewrites, heartbeat, lease_epoch,
        (SELECT count(*) FROM runs_cycle WHERE run_id = h.run_id),
        (SELECT group_concat(hash) FROM runs_recordingchunk WHERE run_id = h.run_id),
        (SELECT recording_hash FROM runs_run WHERE id = h.run_id)
    FROM runs_runhead h WHERE run_id = {}"""


@pytest.fixture(scope="module")
def undisturbed():
    """The recording hash of an undisturbed run of MANIFESTS."""
    return undisturbed_hash(MANIFESTS)


@pytest.fixture(scope="module")
def installation(tmp_path_factory):
    """An embedded installation with two workers, whose leases are short; nothing of it started."""
    with embedded(tmp_path_factory.mktemp("pauses")) as embedded_installation:
        embedded_installation.environment["SCHEDSCOPE_LEASE_SECONDS"] = str(LEASE_SECONDS)
        embedded_installation.commands["worker2"] = embedded_installation.commands["worker1"]
        yield embedded_installation


def head_of(installation, run):
    return installation.ask(f"SELECT seq FROM runs_runhead WHERE run_id = {run['id']}")[0]


def finished(installation, run):
    return installation.ask(f"SELECT state FROM runs_run WHERE id = {run['id']}") == ("finished",)


def hash_of(installation, run):
    return installation.ask(f"SELECT error, recording_hash FROM runs_run WHERE id = {run['id']}")


@pytest.mark.long
def test_a_worker_that_wakes_up_after_its_lease_writes_nothing(installation, undisturbed, tmp_path):
    run = start_run(installation.environment, tmp_path, MANIFESTS)
    installation.start("worker1")
    wait_until(lambda: head_of(installation, run) > 0, "no progress", installation.log)
    sleeper = installation.processes["worker1"]
    pause(sleeper)
    try:
        # In the middle of a write it would hold SQLite's lock: let it get to where it holds none.
        while not _can_write(installation):
            resume(sleeper)
            time.sleep(0.05)
            pause(sleeper)
        began = time.monotonic()
        installation.start("worker2")
        wait_until(lambda: finished(installation, run), "nobody took the run over", installation.log)
        time.sleep(max(0.0, STILL_SECONDS - (time.monotonic() - began)))
        before = installation.ask(WRITTEN.format(run["id"]))
    finally:
        resume(sleeper)
    wait_until(
        lambda: "not ours any more" in _said(installation) or "under epoch" in _said(installation),
        "the woken worker did not notice",
        installation.log,
    )
    assert installation.ask(WRITTEN.format(run["id"])) == before
    assert hash_of(installation, run) == ("", undisturbed)
    # It is as good as new: alone, it executes the next run.
    installation.kill("worker2")
    installation.processes.pop("worker2")
    second = start_run(installation.environment, tmp_path, cluster_of(5, 20))
    wait_until(lambda: finished(installation, second), "the woken worker is idle", installation.log)
    installation.kill("worker1")
    installation.processes.pop("worker1")


def _can_write(installation):
    path = Path(installation.environment["SCHEDSCOPE_DATA"]) / "schedscope.sqlite3"
    with closing(sqlite3.connect(path, timeout=0.2, isolation_level=None)) as connection:
        try:
            connection.execute("BEGIN IMMEDIATE")
            connection.execute("ROLLBACK")
        except sqlite3.OperationalError:
            return False
    return True


def _said(installation):
    return installation.log.read_text()


def test_a_web_server_that_stood_still_answers_what_was_sent_to_it_once(installation):
    installation.start("web")
    port = installation.port
    wait_until(lambda: answers(("127.0.0.1", port)), "no web server", installation.log)
    person = Person(port, sign_in(installation.environment))
    draft = person.post("/w/default/import/", {"text": TEXT}).location
    form = person.form(draft, "/save") | {"name": ["woken"], "into": [""]}
    replies = []
    pause(installation.processes["web"])
    try:
        # Somebody whose page does not answer clicks again.
        clicks = [
            threading.Thread(target=lambda: replies.append(person.post(f"{draft}save", form)), daemon=True)
            for _ in range(3)
        ]
        for click in clicks:
            click.start()
        time.sleep(STILL_SECONDS)
        assert replies == []
    finally:
        resume(installation.processes["web"])
    for click in clicks:
        click.join(60)
    assert {(answer.status, answer.location) for answer in replies} == {(302, "/w/default/clusters/woken/")}
    assert len(replies) == 3
    query = "SELECT count(*) FROM clusters_cluster WHERE slug = 'woken'"
    assert installation.ask(query) == (1,)
    installation.kill("web")
    installation.processes.pop("web")


@pytest.mark.long
@pytest.mark.parametrize("hours", [1, -1])
def test_a_run_survives_a_jump_of_the_clock(installation, undisturbed, tmp_path, hours):
    """A clock that jumps is, to whom compares with it, the same as stored times that move the other way."""
    run = start_run(installation.environment, tmp_path, MANIFESTS)
    installation.start("worker1")
    for _ in range(3):
        head = head_of(installation, run)
        moved = lambda head=head: head_of(installation, run) > head or finished(installation, run)  # noqa: E731
        wait_until(moved, "no progress", installation.log)
        _shift(installation, -3600 * hours)
    wait_until(lambda: finished(installation, run), "never ended", installation.log)
    assert hash_of(installation, run) == ("", undisturbed)
    chunks = installation.ask(f"SELECT sum(n_events) FROM runs_recordingchunk WHERE run_id = {run['id']}")
    assert chunks[0] == head_of(installation, run)
    installation.kill("worker1")
    installation.processes.pop("worker1")


def _shift(installation, seconds):
    """Move the times that workers compare with their database's clock."""
    path = Path(installation.environment["SCHEDSCOPE_DATA"]) / "schedscope.sqlite3"
    columns = {"runs_runhead": ("lease_until", "heartbeat"), "runs_run": ("queued_at", "started_at", "created_at")}
    with closing(sqlite3.connect(path, timeout=20)) as connection, connection:
        for table, names in columns.items():
            for name in names:
                moved = f"strftime('%Y-%m-%d %H:%M:%f', {name}, '{seconds:+d} seconds')"
                connection.execute(f"UPDATE {table} SET {name} = {moved} WHERE {name} IS NOT NULL")

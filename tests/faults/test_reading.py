"""Runs that are deleted for their age while people read them: whole pages or "not found", and nothing is left."""

from __future__ import annotations

import sqlite3
import threading
from collections import Counter
from contextlib import closing
from pathlib import Path

import pytest

from dashboard.runs.storage.deletion import TABLES
from tests.dashboard.run_helpers import cluster_of
from tests.faults.installations import embedded
from tests.faults.lengths import length
from tests.faults.person import Person
from tests.faults.processes import sign_in, start_run, wait_until
from tests.health import answers
from tests.patience import PATIENCE

pytestmark = [pytest.mark.slow, pytest.mark.long]

READERS = 3
PAGES = ("outcomes/", "?seq=0", "?cycle=1", "?cycle=300", "?seq=500", "search/", "?pod=default%2Fpod-7&cycle=8")
RUNS = length(short=2, long=12)


class Reader(threading.Thread):
    """Reads pages of a run until it is gone, and counts the statuses."""

    def __init__(self, person, run, first):
        super().__init__(daemon=True)
        self.person, self.run_path, self.first = person, f"/w/default/runs/{run['run']}/", first
        self.statuses = Counter()

    def run(self):
        number = self.first
        while self.statuses[404] < len(PAGES):
            answer = self.person._ask("GET", self.run_path + PAGES[number % len(PAGES)], "", 1)
            self.statuses[answer.status] += 1
            number += 1


@pytest.fixture
def installation(tmp_path):
    """An embedded installation with a web server and a worker."""
    with embedded(tmp_path) as installation:
        installation.start("web", "worker1")
        wait_until(lambda: answers(("127.0.0.1", installation.port)), "no web server", installation.log)
        yield installation


def test_readers_of_runs_that_retention_deletes_see_whole_pages_or_none(installation, tmp_path):
    runs = [start_run(installation.environment, tmp_path, cluster_of(40, 400)) for _ in range(RUNS)]
    left = "SELECT count(*) FROM runs_run WHERE state <> 'finished'"
    wait_until(lambda: installation.ask(left) == (0,), "the runs did not end", installation.log)
    cookie = sign_in(installation.environment)
    readers = [Reader(Person(installation.port, cookie), run, n * 2) for run in runs for n in range(READERS)]
    for reader in readers:
        reader.start()
    wait_until(lambda: all(reader.statuses[200] > 1 for reader in readers), "nobody reads", installation.log)
    installation.kill("worker1")
    _make_old(installation)
    # Its first look, as every sixtieth after it, is at the age of runs.
    installation.start("worker1")
    for reader in readers:
        reader.join(PATIENCE)
    assert [set(reader.statuses) for reader in readers] == [{200, 404}] * len(readers), installation.log.read_text()
    wait_until(lambda: installation.ask("SELECT count(*) FROM runs_run") == (0,), "not deleted", installation.log)
    for model, _key in TABLES:
        assert installation.ask(f'SELECT count(*) FROM "{model._meta.db_table}"') == (0,)
    assert "Traceback" not in installation.log.read_text()


def _make_old(installation):
    path = Path(installation.environment["SCHEDSCOPE_DATA"]) / "schedscope.sqlite3"
    with closing(sqlite3.connect(path, timeout=20)) as connection, connection:
        connection.execute("UPDATE accounts_workspace SET retention_days = 1")
        connection.execute("UPDATE runs_run SET finished_at = datetime('now', '-2 days')")

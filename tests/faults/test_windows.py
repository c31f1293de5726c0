"""Kills that hit their moment for certain: a lock held by the test keeps a process in the middle of its transaction.

What was written before is rolled back, what was sent can be sent again, and the process that starts next goes on.
"""

from __future__ import annotations

import json
import re
import sqlite3
import threading
from contextlib import closing, contextmanager
from pathlib import Path

import psycopg
import pytest

from dashboard.runs.storage.deletion import TABLES
from tests.conftest import unavailable
from tests.dashboard.run_helpers import cluster_of
from tests.faults.installations import production, supervised
from tests.faults.person import Person
from tests.faults.processes import sign_in, start_run, wait_until
from tests.health import answers
from tests.services.servers import NoServer, family

pytestmark = pytest.mark.slow

WAITING = "SELECT count(*) FROM pg_locks WHERE NOT granted"
TEXT = json.dumps({"apiVersion": "v1", "kind": "List", "items": cluster_of(20, 100)})
COUNTS = ("clusters_cluster", "clusters_revision", "clusters_importdraft", "clusters_importfile")


@pytest.fixture(scope="module")
def installation(tmp_path_factory):
    """A production set-up with a web server and one worker."""
    try:
        with production(tmp_path_factory.mktemp("windows"), workers=1) as set_up:
            set_up.start("web", "worker1")
            wait_until(lambda: answers(("127.0.0.1", set_up.port)), "no web server", set_up.log)
            yield set_up
    except NoServer as error:
        unavailable(str(error))


@pytest.fixture(scope="module")
def person(installation):
    """The owner, signed in."""
    return Person(installation.port, sign_in(installation.environment))


@contextmanager
def locked(installation, table):
    """Hold a lock that lets nobody write the table."""
    with psycopg.connect(installation.environment["DATABASE_URL"]) as connection:
        connection.execute(f"LOCK TABLE {table} IN SHARE ROW EXCLUSIVE MODE")
        yield
        connection.rollback()


def counts(installation):
    return {table: installation.ask(f"SELECT count(*) FROM {table}")[0] for table in COUNTS}


def killed_while_it_waits(installation, name, table, act):
    """Begin `act`, kill the process that waits for the table's lock, start it again; return what `act` gave."""
    with locked(installation, table):
        replies = []
        acting = threading.Thread(target=lambda: replies.append(act()), daemon=True)
        acting.start()
        wait_until(lambda: installation.ask(WAITING)[0] > 0, f"nobody writes {table}", installation.log)
        before = counts(installation)
        installation.kill(name)
        # The server notices that its client is gone when the lock is granted, and rolls back.
    wait_until(lambda: installation.ask(WAITING)[0] == 0, "the lock is waited for", installation.log)
    after = counts(installation)
    installation.start(name)
    acting.join(90)
    assert replies, installation.log.read_text()[-4000:]
    return before, after, replies[0]


@pytest.mark.long
def test_a_web_server_killed_while_it_stores_an_import_leaves_nothing_and_the_form_works_again(installation, person):
    send = lambda: person.post("/w/default/import/", {"text": TEXT})  # noqa: E731
    before, after, answer = killed_while_it_waits(installation, "web", "clusters_importfile", send)
    assert after == before
    assert (answer.status, answer.tries > 1) == (302, True)
    assert person.get(answer.location).status == 200


def test_a_web_server_killed_while_it_saves_leaves_the_import_and_no_half_cluster(installation, person):
    draft = person.post("/w/default/import/", {"text": TEXT}).location
    form = person.form(draft, "/save") | {"name": ["killed"], "into": [""]}
    save = lambda: person.post(f"{draft}save", form)  # noqa: E731
    before, after, answer = killed_while_it_waits(installation, "web", "clusters_revision", save)
    assert after == before
    assert (answer.status, answer.tries > 1) == (302, True)
    assert re.search(r"/clusters/killed/", answer.location)
    query = (
        "SELECT count(*) FROM clusters_cluster c JOIN clusters_revision r ON r.cluster_id = c.id WHERE slug = 'killed'"
    )
    assert installation.ask(query) == (1,)


@pytest.mark.long
def test_a_worker_killed_while_it_deletes_is_followed_by_one_that_deletes_the_rest(installation, person, tmp_path):
    run = start_run(installation.environment, tmp_path, cluster_of(50, 500))
    state = f"SELECT state FROM runs_run WHERE id = {run['id']}"
    wait_until(lambda: installation.ask(state) == ("finished",), "the run did not end", installation.log)
    delete = lambda: person.post(f"/w/default/runs/{run['run']}/delete", {})  # noqa: E731
    _before, _after, answer = killed_while_it_waits(installation, "worker1", "runs_recordingchunk", delete)
    assert answer.status == 302
    wait_until(lambda: installation.ask(state) is None, "the run was not deleted", installation.log)
    for model, _key in TABLES:
        assert installation.ask(f"SELECT count(*) FROM {model._meta.db_table} WHERE run_id = {run['id']}") == (0,)


@pytest.mark.long
def test_a_supervisor_killed_in_the_middle_of_a_save_loses_nothing_that_was_answered(tmp_path):
    with supervised(tmp_path) as own:
        own.start("supervisor")
        wait_until(lambda: answers(("127.0.0.1", own.port)), "no web server", own.log)
        person = Person(own.port, sign_in(own.environment))
        draft = person.post("/w/default/import/", {"text": TEXT}).location
        form = person.form(draft, "/save") | {"name": ["killed"], "into": [""]}
        replies = []
        path = Path(own.environment["SCHEDSCOPE_DATA"]) / "schedscope.sqlite3"
        with closing(sqlite3.connect(path, timeout=20, isolation_level=None)) as writer:
            # SQLite has one writer: the save stands before its first statement as long as this transaction is open.
            writer.execute("BEGIN IMMEDIATE")
            saving = threading.Thread(target=lambda: replies.append(person.post(f"{draft}save", form)), daemon=True)
            saving.start()
            children = family(own.processes["supervisor"].pid)[1:]
            own.kill_alone("supervisor")
            wait_until(lambda: not any(map(_lives, children)), "a child outlived the supervisor", own.log)
            writer.execute("ROLLBACK")
        assert own.ask("SELECT count(*) FROM clusters_cluster") == (0,)
        own.start("supervisor")
        saving.join(90)
        assert (replies[0].status, replies[0].tries > 1) == (302, True)
        assert own.ask("SELECT count(*) FROM clusters_revision") == (1,)


def _lives(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except (FileNotFoundError, ProcessLookupError):
        return False

"""Each process of both set-ups stands still in its turn, and goes on: a run ends once, pages answer, nobody is left.

Threads that look for others (tailer, feed, presence, reconciler) stand still with their process; there is no beat.
"""

from __future__ import annotations

import os
import signal
import time
from contextlib import contextmanager

import pytest

from tests.conftest import unavailable
from tests.dashboard.run_helpers import cluster_of, undisturbed_hash
from tests.faults.installations import production, supervised
from tests.faults.lengths import length
from tests.faults.person import Person
from tests.faults.processes import sign_in, start_run, wait_until
from tests.faults.test_servers import Watcher
from tests.health import answers
from tests.patience import PATIENCE
from tests.processes import children_of
from tests.services.servers import NoServer, family, kill_all

pytestmark = pytest.mark.slow

STILL_SECONDS = length(short=1, long=60)
MANIFESTS = cluster_of(*length(short=(60, 800), long=(500, 5000)))
WORDS = {"worker": "celery", "web": "dashboard.webserver", "answer worker": "dashboard.answers.worker"}
OPEN_WORK = """SELECT (SELECT count(*) FROM runs_runhead WHERE lease_owner <> ''),
    (SELECT count(*) FROM runs_run WHERE state NOT IN ('finished', 'paused')),
    (SELECT count(*) FROM clusters_backgroundtask WHERE ended_at IS NULL)"""


def child(installation, name):
    """Return the process id of the supervisor's child."""
    processes = children_of(installation.processes["supervisor"].pid)
    return next(pid for line, pid in processes.items() if WORDS[name] in line)


@contextmanager
def standing(*pids):
    """Keep the processes from running within the block."""
    for pid in pids:
        os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        for pid in pids:
            os.kill(pid, signal.SIGCONT)


def ended_once(installation, run, watcher, manifests):
    """Wait for the run's end; see that it is that of an undisturbed one, that its page saw all, and nothing is open."""
    state = f"SELECT state, error, recording_hash FROM runs_run WHERE id = {run['id']}"
    wait_until(lambda: installation.ask(state)[0] in ("finished", "failed"), "the run stands", installation.log)
    assert installation.ask(state) == ("finished", "", undisturbed_hash(manifests))
    head, events = installation.ask(
        "SELECT h.seq, (SELECT sum(n_events) FROM runs_recordingchunk c WHERE c.run_id = h.run_id) "
        f"FROM runs_runhead h WHERE h.run_id = {run['id']}"
    )
    assert events == head
    watcher.join(PATIENCE)
    assert (watcher.is_over, watcher.gaps, watcher.seq) == (True, [], head)
    wait_until(lambda: tuple(installation.ask(OPEN_WORK)) == (0, 0, 0), "work is left", installation.log)


def followed(installation, folder, manifests):
    """Start a run with a page on it; return both once the run moves."""
    run = start_run(installation.environment, folder, manifests)
    watcher = Watcher(installation, run)
    watcher.start()
    head = f"SELECT seq FROM runs_runhead WHERE run_id = {run['id']}"
    wait_until(lambda: installation.ask(head)[0] > 0, "no progress", installation.log)
    return run, watcher


def answered(person, run):
    """Return whether the page that needs an answer worker has its answer."""
    page = person.get(f"/w/default/runs/{run['run']}/answers/cause/?cycle=1").text
    return "Waiting for" not in page and "Being computed" not in page


@pytest.fixture(scope="module")
def embedded(tmp_path_factory):
    """What `make run` starts."""
    with supervised(tmp_path_factory.mktemp("still")) as installation:
        installation.start("supervisor")
        wait_until(lambda: answers(("127.0.0.1", installation.port)), "no web server", installation.log)
        wait_until(lambda: "running at" in installation.log.read_text(), "not ready", installation.log)
        yield installation


@pytest.mark.long
def test_each_process_of_an_embedded_set_up_stands_still_and_goes_on(embedded, tmp_path):
    person = Person(embedded.port, sign_in(embedded.environment))
    supervisor = embedded.processes["supervisor"].pid
    before = children_of(supervisor)
    run, watcher = followed(embedded, tmp_path, MANIFESTS)
    for name in WORDS:
        with standing(child(embedded, name)):
            time.sleep(STILL_SECONDS)
        assert person.get("/w/default/runs/").status == 200
    ended_once(embedded, run, watcher, MANIFESTS)
    wait_until(lambda: answered(person, run), "no answer", embedded.log)
    assert children_of(supervisor) == before


@pytest.mark.long
def test_a_worker_that_dies_while_the_supervisor_stands_still_is_started_again_afterwards(embedded, tmp_path):
    person = Person(embedded.port, sign_in(embedded.environment))
    run, watcher = followed(embedded, tmp_path, MANIFESTS)
    with standing(embedded.processes["supervisor"].pid):
        kill_all(child(embedded, "worker"))
        time.sleep(STILL_SECONDS)
        assert person.get("/w/default/runs/").status == 200
    ended_once(embedded, run, watcher, MANIFESTS)


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """A web server and two workers beside servers of their own."""
    try:
        with production(tmp_path_factory.mktemp("production")) as installation:
            installation.start("web", "worker1", "worker2")
            wait_until(lambda: answers(("127.0.0.1", installation.port)), "no web server", installation.log)
            yield installation
    except NoServer as error:
        unavailable(str(error))


def processes_of(installation, name):
    """Return the process ids: of a server, of a process with its children, or of a worker without or as its child."""
    name, _, part = name.partition("/")
    process = installation.servers[name].process if name in installation.servers else installation.processes[name]
    pids = family(process.pid)
    return {"": pids, "parent": pids[:1], "child": pids[1:]}[part]


@pytest.mark.long
@pytest.mark.services
@pytest.mark.parametrize("name", ["web", "worker1", "worker1/parent", "worker1/child", "redis", "postgres"])
def test_each_process_of_a_production_set_up_stands_still_and_goes_on(installed, tmp_path, name):
    person = Person(installed.port, sign_in(installed.environment))
    run, watcher = followed(installed, tmp_path, MANIFESTS)
    with standing(*processes_of(installed, name)):
        time.sleep(STILL_SECONDS)
    assert person.get("/w/default/runs/").status == 200
    ended_once(installed, run, watcher, MANIFESTS)
    assert installed.ended() == {}

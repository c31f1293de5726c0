"""A real worker, a real SIGKILL at random moments: the history is that of an undisturbed run."""

from __future__ import annotations

import os
import random
import signal
import sqlite3
import time
from contextlib import closing
from pathlib import Path

import pytest

from tests.dashboard.run_helpers import cluster_of, undisturbed_hash
from tests.faults.lengths import length
from tests.faults.processes import embedded_environment, prepare, start_run, wait_until, worker

pytestmark = [pytest.mark.slow, pytest.mark.long]


@pytest.fixture
def installation(tmp_path):
    """The environment of an embedded installation in a folder of its own, with an owner and a workspace."""
    return prepare(embedded_environment(tmp_path / "var"))


# Seconds of work even for a quick machine, so that there is time to kill workers in the middle of it.
N_NODES, N_PODS = length(short=(300, 5000), long=(1000, 9000))


def ask(environment, query):
    """Return the first row that the embedded database has for the query."""
    path = Path(environment["SCHEDSCOPE_DATA"]) / "schedscope.sqlite3"
    with closing(sqlite3.connect(path, timeout=20)) as connection:
        return connection.execute(query).fetchone()


def head_of(environment):
    """Return how many events are committed."""
    return ask(environment, "SELECT seq FROM runs_runhead")[0]


def state_of(environment):
    """Return the run's state."""
    return ask(environment, "SELECT state FROM runs_run")[0]


def kill_soon(environment, log, head, delay):
    """Start a worker and kill it a little after it moved the head; return the new head, None where the run ended."""
    with worker(environment, log) as process:
        wait_until(lambda: head_of(environment) > head, "no progress", log)
        time.sleep(delay)
        if state_of(environment) == "finished":
            return None
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
    return head_of(environment)


def test_a_run_survives_workers_that_are_killed(installation, tmp_path):
    manifests, log = cluster_of(N_NODES, N_PODS), tmp_path / "worker.log"
    assert start_run(installation, tmp_path, manifests)["state"] == "queued"
    chance, heads = random.Random(20), [0]
    while len(heads) <= 3 and (head := kill_soon(installation, log, heads[-1], chance.uniform(0, 0.3))):
        heads.append(head)
    assert len(heads) > 2, "the run was over before it could be disturbed twice"
    with worker(installation, log):
        wait_until(lambda: state_of(installation) in ("finished", "failed"), "never ended", log)

    state, error, recording_hash = ask(installation, "SELECT state, error, recording_hash FROM runs_run")
    assert (state, error) == ("finished", ""), log.read_text()
    assert recording_hash == undisturbed_hash(manifests)
    cycles, distinct = ask(installation, "SELECT count(*), count(DISTINCT number) FROM runs_cycle")
    assert cycles == distinct == ask(installation, "SELECT cycle FROM runs_runhead")[0] >= N_PODS
    events, chunks, last = ask(installation, 'SELECT sum(n_events), count(*), max("index") FROM runs_recordingchunk')
    assert events == head_of(installation)
    assert chunks == last + 1
    assert ask(installation, "PRAGMA integrity_check")[0] == "ok"

"""PostgreSQL, Redis, two worker processes and a web server of their own: the history is that of the embedded set-up."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
import urllib.request

import psycopg
import pytest
import websockets

from tests.dashboard.run_helpers import cluster_of, undisturbed_hash
from tests.faults.processes import prepare, process, sign_in, start_run, wait_until
from tests.patience import PATIENCE
from tests.services.servers import free_port, production_environment

pytestmark = pytest.mark.slow

WORKER = [sys.executable, "-m", "celery", "-A", "dashboard", "worker", "--queues", "runs,background"]
WORKER += ["--pool", "prefork", "--concurrency", "1", "--loglevel", "WARNING"]


@pytest.fixture
def production(postgres_url, redis_url, tmp_path):
    """The environment of the production set-up, with an owner and a workspace."""
    return prepare(production_environment(postgres_url, redis_url, tmp_path / "var"))


@pytest.fixture
def ask(postgres_url):
    """A function that returns the first row of a query."""
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        yield lambda query: connection.execute(query).fetchone()


def web_server(environment, port, log):
    """Yield a web server's process."""
    command = ["-m", "uvicorn", "dashboard.asgi:application", "--port", str(port), "--lifespan", "off"]
    return process(environment, [sys.executable, *command, "--log-level", "warning"], log)


async def watch(port, cookie, path):
    """Return the batches that a browser gets from the start of a run to its end, and the run's last status."""
    url, batches, status = f"ws://127.0.0.1:{port}{path}", [], None
    headers = {"Cookie": f"schedscope_session={cookie}"}
    origin = f"http://127.0.0.1:{port}"
    async with websockets.connect(url, additional_headers=headers, origin=origin, max_size=None) as socket:
        await socket.send(json.dumps({"from": 0}))
        seen = 0
        while status is None or status["state"] not in ("finished", "failed") or seen < status["head"]["seq"]:
            message = json.loads(await asyncio.wait_for(socket.recv(), 60))
            if message["type"] == "batch":
                batches.append(message)
                seen = message["last"] + 1
            else:
                status = message
    return batches, status


@pytest.mark.essential
def test_two_workers_and_a_web_server_give_the_hash_of_the_embedded_set_up(production, ask, tmp_path):
    manifests, log, port = cluster_of(60, 300), tmp_path / "log", free_port()
    cookie = sign_in(production)
    with process(production, WORKER, log), process(production, WORKER, log), web_server(production, port, log):
        started = start_run(production, tmp_path, manifests)
        second = start_run(production, tmp_path, manifests, "--background", "--seed", "1")
        path = f"/ws/w/{started['workspace']}/runs/{started['run']}/"
        wait_until(lambda: _listens(port), "no web server", log)
        batches, status = asyncio.run(watch(port, cookie, path))
        wait_until(lambda: ask("SELECT count(*) FROM runs_run WHERE state = 'finished'")[0] == 2, "never ended", log)
    assert status["state"] == "finished", log.read_text()
    assert [batch["first"] for batch in batches] == [0, *(batch["last"] + 1 for batch in batches[:-1])]
    assert batches[-1]["last"] + 1 == status["head"]["seq"]
    hashes = ask("SELECT json_object_agg(id::text, recording_hash) FROM runs_run")[0]
    assert hashes[str(started["id"])] == undisturbed_hash(manifests)
    assert hashes[str(second["id"])] == undisturbed_hash(manifests, seed=1)
    assert ask("SELECT count(*) FROM runs_cycle")[0] == 600
    owners = ask("SELECT count(*) FROM runs_runhead WHERE lease_owner <> ''")
    assert owners == (0,)


@pytest.mark.long
def test_a_killed_worker_is_replaced_by_the_other(production, ask, tmp_path):
    manifests, log = cluster_of(1000, 6000), tmp_path / "log"
    start_run(production, tmp_path, manifests)
    with process(production, WORKER, log) as first:
        wait_until(lambda: ask("SELECT seq FROM runs_runhead")[0] > 0, "no progress", log)
        with process(production, WORKER, log):
            # The child that executes the run, and its parent: as when a machine goes away.
            owner = ask("SELECT lease_owner FROM runs_runhead")[0]
            os.kill(first.pid, signal.SIGKILL)
            os.kill(int(owner.split("/")[2]), signal.SIGKILL)
            wait_until(lambda: ask("SELECT state FROM runs_run")[0] in ("finished", "failed"), "never ended", log)
    state, error, recording_hash = ask("SELECT state, error, recording_hash FROM runs_run")
    assert (state, error) == ("finished", ""), log.read_text()
    assert recording_hash == undisturbed_hash(manifests)
    assert ask("SELECT lease_epoch FROM runs_runhead")[0] > 1


@pytest.mark.long
def test_a_worker_prepares_the_outcomes_of_a_run_that_was_recorded_before_they_were_stored(production, ask, tmp_path):
    log, port = tmp_path / "log", free_port()
    started = start_run(production, tmp_path, cluster_of(20, 120))
    with process(production, WORKER, log):
        wait_until(lambda: ask("SELECT state FROM runs_run")[0] == "finished", "never ended", log)
        wait_until(lambda: ask("SELECT count(*) FROM runs_preparation WHERE asked_at IS NOT NULL") == (0,), "busy", log)
    ask("WITH gone AS (DELETE FROM runs_runoutcomes) DELETE FROM runs_preparation RETURNING 1")
    page = f"http://127.0.0.1:{port}/w/{started['workspace']}/runs/{started['run']}/outcomes/"
    with web_server(production, port, log):
        wait_until(lambda: _listens(port), "no web server", log)
        assert "Waiting for a worker that sums up" in _read(page, sign_in(production))
        assert ask("SELECT kind, claimed_at, seq FROM runs_preparation") == ("outcomes", None, None)
        with process(production, WORKER, log):
            wait_until(lambda: ask("SELECT count(*) FROM runs_runoutcomes") == (1,), "nothing prepared", log)
            wait_until(lambda: ask("SELECT asked_at FROM runs_preparation") == (None,), "not told", log)
        shown = _read(page, sign_in(production))
    assert "Waiting for a worker" not in shown
    assert "Every pod is bound" in shown or "Needs a look:" in shown


def _read(url, session):
    asked = urllib.request.Request(url, headers={"Cookie": f"schedscope_session={session}"})
    with urllib.request.urlopen(asked, timeout=PATIENCE) as answer:
        return answer.read().decode()


def _listens(port):
    from tests.health import answers

    return answers(("127.0.0.1", port))

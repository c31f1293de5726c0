"""PostgreSQL and Redis go away and come back: no worker is lost and runs go on, without a supervisor or an operator."""

from __future__ import annotations

import json
import threading
import time
import urllib.error
import urllib.request

import pytest
from websockets.exceptions import WebSocketException
from websockets.sync.client import connect

from tests.conftest import unavailable
from tests.dashboard.run_helpers import cluster_of, undisturbed_hash
from tests.faults.installations import production
from tests.faults.lengths import length
from tests.faults.processes import sign_in, start_run, wait_until
from tests.patience import PATIENCE
from tests.services.servers import NoServer

# The pool of connections may take so long to notice that its server is back.
BACK_SECONDS = 15
pytestmark = pytest.mark.slow

TIMES = length(short=1, long=3)
OUTAGES = {"redis": ["redis"], "postgres": ["postgres"], "both": ["postgres", "redis"]}


@pytest.fixture(scope="module")
def installation(tmp_path_factory):
    """A web server and two workers beside servers of their own, all of them started."""
    try:
        with production(tmp_path_factory.mktemp("servers")) as installation:
            installation.start("web", "worker1", "worker2")
            wait_until(lambda: healthy(installation.port), "no web server", installation.log)
            yield installation
    except NoServer as error:
        unavailable(str(error))


def healthy(port):
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/healthz", timeout=BACK_SECONDS) as response:
            return json.load(response)["status"] == "ok"
    except (OSError, urllib.error.URLError):
        return False


def outage(installation, names, seconds):
    """Kill servers, wait, and start them again."""
    for name in names:
        installation.kill(name)
    time.sleep(seconds)
    for name in names:
        installation.servers[name].start()


def of(installation, run, columns):
    query = f"SELECT {columns} FROM runs_run r JOIN runs_runhead h ON h.run_id = r.id WHERE r.id = {run['id']}"
    return installation.ask(query)


def advances(installation, run):
    """Wait until the run's head moves or the run is over."""
    before = of(installation, run, "seq")
    wait_until(
        lambda: of(installation, run, "seq") > before or over(installation, run), "no progress", installation.log
    )


def over(installation, run):
    return of(installation, run, "state") in [("finished",), ("failed",)]


class Watcher(threading.Thread):
    """A page that follows a run and connects again, at the seq that it is at, whenever its socket is closed."""

    def __init__(self, installation, run):
        super().__init__(daemon=True)
        self.url = f"ws://127.0.0.1:{installation.port}/ws/w/{run['workspace']}/runs/{run['run']}/"
        self.cookie = f"schedscope_session={sign_in(installation.environment)}"
        self.origin = f"http://127.0.0.1:{installation.port}"
        self.seq, self.gaps, self.connected, self.is_over = 0, [], 0, False

    def run(self):
        deadline = time.monotonic() + PATIENCE
        while not self.is_over and time.monotonic() < deadline:
            try:
                self._follow()
            except (OSError, WebSocketException, TimeoutError):
                time.sleep(0.2)

    def _follow(self):
        headers = {"Cookie": self.cookie}
        with connect(self.url, additional_headers=headers, origin=self.origin, max_size=None) as socket:
            self.connected += 1
            socket.send(json.dumps({"from": self.seq}))
            while not self.is_over:
                self._hear(json.loads(socket.recv(timeout=PATIENCE)))

    def _hear(self, message):
        if message["type"] == "batch":
            if message["first"] != self.seq:
                self.gaps.append((self.seq, message["first"]))
            self.seq = message["last"] + 1
        # The state may come before the last batch, which tells it as well.
        if message["state"] in ("finished", "failed"):
            self.is_over = self.seq >= message["head"]["seq"]


@pytest.mark.long
def test_a_run_and_a_page_on_it_go_on_after_the_servers_were_killed(installation, tmp_path):
    manifests = cluster_of(300, length(short=4000, long=20_000))
    run = start_run(installation.environment, tmp_path, manifests)
    watcher = Watcher(installation, run)
    watcher.start()
    for names in list(OUTAGES.values()) * TIMES:
        advances(installation, run)
        outage(installation, names, seconds=0.3)
    wait_until(lambda: over(installation, run), "never ended", installation.log)
    assert of(installation, run, "error, recording_hash") == ("", undisturbed_hash(manifests))
    # Each time its worker handed it back: nobody waited until a lease was out.
    assert of(installation, run, "recovered_seq") == (-1,)
    assert installation.ended() == {}
    watcher.join(PATIENCE)
    assert (watcher.is_over, watcher.gaps, watcher.seq) == (True, [], of(installation, run, "seq")[0])


@pytest.mark.long
def test_idle_workers_find_the_next_run_after_their_servers_were_killed(installation, tmp_path):
    for names in list(OUTAGES.values()) * TIMES:
        outage(installation, names, seconds=0.5)
    run = start_run(installation.environment, tmp_path, cluster_of(10, 30))
    wait_until(lambda: over(installation, run), "the run was not found", installation.log)
    assert of(installation, run, "error") == ("",)
    assert installation.ended() == {}
    assert healthy(installation.port)

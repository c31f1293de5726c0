"""What would change, with real processes: asked for and left, it goes on over a worker that is killed, to be found."""

from __future__ import annotations

import re
from contextlib import contextmanager

import pytest

from tests.conftest import unavailable
from tests.dashboard.preview.conftest import PACKING
from tests.dashboard.run_helpers import cluster_of, node, pod
from tests.faults.installations import embedded, production
from tests.faults.person import Person
from tests.faults.processes import sign_in, start_run, wait_until
from tests.services.servers import NoServer

pytestmark = [pytest.mark.slow, pytest.mark.long]

# Enough work that a web server of a busy machine answers twice before it is done.
NODES, PODS = 200, 8_000


@contextmanager
def installed(kind, folder):
    """An installation of this kind."""
    try:
        with (embedded if kind == "embedded" else production)(folder) as installation:
            yield installation
    except NoServer as error:
        unavailable(str(error))


def progress(installation):
    """The number, starts, cycles, end, error and result of the newest computation."""
    return installation.ask(
        "SELECT id, starts, before_cycles + after_cycles, ended_at, error, result_id "
        "FROM preview_computation ORDER BY id DESC LIMIT 1"
    )


def path_of(started):
    """The address that what would change is asked of."""
    return f"/w/{started['workspace']}/configurations/what-changes"


def ask(person, started, text=PACKING):
    """Ask what a text would change on the cluster of the run that was started; return the number of the computation."""
    slug = re.search(r'value="cluster:([\w-]+)"', person.get(path_of(started).replace("what-changes", "new/")).text)[1]
    fields = {"text": text, "preview_on": f"cluster:{slug}", "before": "default"}
    answer = person.post(path_of(started), fields)
    assert answer.status == 200, answer.text
    return int(re.search(r'computing/(\d+)/\?panel=1"', answer.text)[1])


@pytest.mark.parametrize("kind", ["embedded", pytest.param("production", marks=pytest.mark.services)])
def test_who_leaves_finds_the_result_though_the_worker_was_killed(kind, tmp_path):
    with installed(kind, tmp_path) as installation:
        installation.start("web", "worker1")
        log = installation.log
        started = start_run(installation.environment, tmp_path, cluster_of(NODES, PODS))
        ended = "SELECT count(*) FROM runs_run WHERE state = 'finished'"
        wait_until(lambda: installation.ask(ended)[0], "no run", log)
        person = Person(installation.port, sign_in(installation.environment))
        number = ask(person, started)
        wait_until(lambda: progress(installation)[2] > 100, "no progress", log)
        assert ask(person, started) == number
        # Nobody looks from here on: worker and web server are gone, and others take their place.
        installation.kill("worker1")
        installation.kill("web")
        first = progress(installation)
        assert first[3] is None, "too short to tell"
        installation.start("worker1")
        wait_until(lambda: progress(installation)[3], "no end", log)
        assert progress(installation)[1] == first[1] + 1
        assert progress(installation)[4] == ""
        installation.start("web")
        page = person.get(f"{path_of(started)}/computing/{number}/")
        assert page.location == f"{path_of(started)}/{progress(installation)[5]}/"
        assert f"of {PODS:,} pods" in person.get(page.location).text
        assert f"what-changes/{progress(installation)[5]}/" in person.get(f"{path_of(started)}/computed").text


@pytest.mark.parametrize("kind", ["embedded", pytest.param("production", marks=pytest.mark.services)])
def test_runs_and_a_cancelled_one_do_not_wait_for_a_long_one(kind, tmp_path):
    """One worker: a run that is started while two runs are compared ends before these do; then they are cancelled."""
    with installed(kind, tmp_path) as installation:
        installation.start("web", "worker1")
        log, ended = installation.log, "SELECT count(*) FROM runs_run WHERE state = 'finished'"
        started = start_run(installation.environment, tmp_path, cluster_of(600, 20_000), "--background")
        person = Person(installation.port, sign_in(installation.environment))
        number = ask(person, started)
        wait_until(lambda: progress(installation)[2] > 0, "no progress", log)
        start_run(installation.environment, tmp_path, [node("n", "8"), pod("p", "1")])
        wait_until(lambda: installation.ask(ended)[0], "the short run waits", log)
        assert progress(installation)[3] is None, "too short to tell"
        person.post(f"{path_of(started)}/computing/{number}/cancel", {"panel": "1"})
        wait_until(lambda: progress(installation)[3], "not cancelled", log)
        page = person.get(f"{path_of(started)}/computing/{number}/").text
        assert "Cancelled by" in page
        assert progress(installation)[5] is None
        assert "Traceback" not in log.read_text(), log.read_text()

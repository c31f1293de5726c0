"""The clock of a whole embedded set-up is set, both ways, by a library that all its processes load (set_clock.c).

As when somebody sets the date, the steady clocks run on; libfaketime changes Python's waits too,
which then fail.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from sqlite3 import connect

import pytest

from dashboard.accounts.throttle import TRIES
from tests.dashboard.run_helpers import cluster_of
from tests.faults.installations import supervised
from tests.faults.lengths import length
from tests.faults.people import PASSWORD, make_people
from tests.faults.person import Person
from tests.faults.processes import manage, sign_in, start_run, wait_until
from tests.faults.test_sign_in import REFUSED, WRONG, signing_in
from tests.faults.test_standing_still import answered, child, ended_once, followed
from tests.health import answers
from tests.services.servers import kill_all

pytestmark = [pytest.mark.slow, pytest.mark.long]

HOUR, DAY, YEAR = 3600, 86_400, 365 * 86_400
MANIFESTS = cluster_of(*length(short=(200, 3000), long=(500, 5000)))
RUNS = "SELECT count(*) FROM runs_run WHERE state <> 'deleting'"


class Clock:
    """The offset that all processes add to the time."""

    def __init__(self, path):
        self.path = path
        path.write_bytes(bytes(8))

    def set(self, seconds):
        """Set the clock so many seconds ahead of the real one."""
        with self.path.open("r+b", buffering=0) as file:
            file.write(seconds.to_bytes(8, sys.byteorder, signed=True))


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    """The library, compiled."""
    compiler = shutil.which("cc")
    if compiler is None or sys.platform != "linux":
        pytest.skip("needs Linux and a C compiler (cc) for the clock that is set")
    built = tmp_path_factory.mktemp("clock") / "set_clock.so"
    source = Path(__file__).with_name("set_clock.c")
    subprocess.run([compiler, "-shared", "-fPIC", "-O2", "-o", str(built), str(source)], check=True)
    return built


@pytest.fixture
def scene(tmp_path, library):
    """An installation by the clock, with a workspace that keeps runs for 30 days; a run of this minute has ended."""
    clock = Clock(tmp_path / "clock")
    with supervised(tmp_path) as installation:
        installation.environment |= {"LD_PRELOAD": str(library), "SET_CLOCK": str(clock.path)}
        with closing(connect(tmp_path / "var" / "schedscope.sqlite3")) as database, database:
            database.execute("UPDATE accounts_workspace SET retention_days = 30")
        installation.start("supervisor")
        wait_until(lambda: "running at" in installation.log.read_text(), "not ready", installation.log)
        start_run(installation.environment, tmp_path, cluster_of(5, 10), "--wait", "120")
        yield clock, installation


def link_of(installation):
    """The path of a fresh link that signs the owner in."""
    return re.search(r"/signin/\S+", manage(installation.environment, "signin_link"))[0]


@pytest.mark.parametrize(
    "jumps", [(HOUR, -HOUR, 0), (YEAR, 0), (-YEAR, 0)], ids=["an hour", "a year on", "a year back"]
)
def test_a_run_its_page_and_its_owner_stay_through_jumps(scene, tmp_path, jumps):
    clock, installation = scene
    person = Person(installation.port, sign_in(installation.environment))
    run, watcher = followed(installation, tmp_path, MANIFESTS)
    head = f"SELECT h.seq, r.state FROM runs_runhead h JOIN runs_run r ON r.id = h.run_id WHERE h.run_id = {run['id']}"
    for jump in jumps:
        before = installation.ask(head)
        clock.set(jump)
        wait_until(
            lambda before=before: installation.ask(head) > before or installation.ask(head)[1] == "finished",
            "no progress after a jump",
            installation.log,
        )
    ended_once(installation, run, watcher, MANIFESTS)
    # Nobody was taken for dead, and what is asked for now is answered.
    assert installation.ask(f"SELECT recovered_seq FROM runs_runhead WHERE run_id = {run['id']}") == (-1,)
    wait_until(lambda: answered(person, run), "no answer", installation.log)
    assert person.get("/w/default/runs/").status == 200


def test_sessions_and_links_end_by_the_clock_and_come_back_with_it(scene):
    clock, installation = scene
    person, link, late = (
        Person(installation.port, sign_in(installation.environment)),
        link_of(installation),
        link_of(installation),
    )
    clock.set(15 * DAY)
    assert "/signin" in person.once("/w/default/").location
    assert person.once(link).status == 404
    clock.set(0)
    assert person.once("/w/default/").status == 200
    assert Person(installation.port, "").once(late).status == 302
    # Who comes in by a wrong clock drops what has ended by it: others need a fresh link, which works by any clock.
    for jump in (15 * DAY, 0, -YEAR):
        clock.set(jump)
        assert Person(installation.port, "").once(link_of(installation)).status == 302


@pytest.mark.parametrize("jump", [HOUR, -HOUR, -YEAR])
def test_a_count_of_wrong_passwords_locks_nobody_out_after_a_jump(scene, jump):
    clock, installation = scene
    make_people(installation.environment, ["vera"])
    tried = [signing_in(installation, "vera", "wrong")[0] for _ in range(TRIES + 1)]
    assert tried == [WRONG] * TRIES + [REFUSED]
    clock.set(jump)
    assert signing_in(installation, "vera", PASSWORD)[0] == 302


def test_a_worker_that_is_started_after_a_jump_deletes_no_runs_for_their_age(scene):
    clock, installation = scene
    looks = "SELECT count(*) FROM runs_clocklook"
    wait_until(lambda: installation.ask(looks)[0] > 0, "nobody looked at the clock", installation.log)
    with closing(connect(installation.folder / "var" / "schedscope.sqlite3", timeout=20)) as database, database:
        # The clock has run evenly for long.
        database.execute("UPDATE runs_clocklook SET set_at = NULL")
    newest = "SELECT max(id) FROM runs_clocklook"
    clock.set(YEAR)
    for _ in range(2):
        before = installation.ask(newest)[0]
        kill_all(child(installation, "worker"))
        wait_until(lambda last=before: installation.ask(newest)[0] > last, "no new worker", installation.log)
    assert installation.ask(RUNS) == (1,)
    assert "the clock was set by" in installation.log.read_text()


def test_an_installation_that_is_started_by_a_wrong_clock_and_then_set_right_goes_on(scene, tmp_path):
    clock, installation = scene
    installation.kill("supervisor")
    clock.set(-YEAR)
    installation.start("supervisor")
    wait_until(lambda: answers(("127.0.0.1", installation.port)), "no web server", installation.log)
    run, watcher = followed(installation, tmp_path, MANIFESTS)
    clock.set(0)
    ended_once(installation, run, watcher, MANIFESTS)

"""Starts that cannot be: on a data folder or a database that takes no writes, and of two at the same moment."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.faults.disks import read_only
from tests.faults.processes import ROOT, embedded_environment, prepare
from tests.health import answers
from tests.patience import PATIENCE, until
from tests.seeds import long_after
from tests.services.servers import free_port

pytestmark = pytest.mark.slow

SERVE = ["manage.py", "serve", "--no-demo", "--port"]
# Whatever reads the settings, and what Makefile, Dockerfile and supervisor start.
PROGRAMS = {
    "serve": [*SERVE, "1"],
    "worker": ["-m", "celery", "-A", "dashboard", "worker", "--pool", "solo"],
    "uvicorn": ["-m", "uvicorn", "dashboard.asgi:application", "--port", "1"],
    "web server": ["-m", "dashboard.webserver", "0"],
    "answer worker": ["-m", "dashboard.answers.worker"],
    "migrate": ["manage.py", "migrate"],
    "load_demo": ["manage.py", "load_demo"],
    "signin_link": ["manage.py", "signin_link"],
    "start_run": ["manage.py", "start_run", "objects.json"],
    "compact_database": ["manage.py", "compact_database", "--yes"],
    "backup": ["manage.py", "backup"],
    "restore": ["manage.py", "restore", "--yes"],
    "export_workspace": ["manage.py", "export_workspace", "default", "/dev/null/workspace.zip"],
    "delete_workspace": ["manage.py", "delete_workspace", "default", "--yes"],
}
# These write nothing, or to another place, where the database alone takes no writes.
OF_FOLDERS = {"worker", "uvicorn", "web server", "answer worker", "migrate", "load_demo", "backup", "restore"}
TO_DATABASE = [name for name in PROGRAMS if name not in OF_FOLDERS | {"start_run", "export_workspace"}]


@pytest.fixture(scope="module")
def environment(tmp_path_factory):
    """The environment of an embedded installation, none of whose processes runs."""
    return prepare(embedded_environment(tmp_path_factory.mktemp("starts") / "var"))


def ended(environment, arguments):
    """Return (exit status, standard error) of a program that ends by itself."""
    done = subprocess.run(
        [sys.executable, *arguments], cwd=ROOT, env=environment, capture_output=True, text=True, timeout=PATIENCE
    )
    return done.returncode, done.stderr


def contents(folder):
    """Return what is in the folder, with sizes and times."""
    return {(str(path), path.stat().st_size, path.stat().st_mtime_ns) for path in folder.rglob("*")}


def path_of(environment):
    return ROOT / environment["SCHEDSCOPE_DATA"]


@pytest.mark.parametrize("program", long_after(list(PROGRAMS), 2))
def test_on_a_folder_that_takes_no_writes_one_line_says_what_to_do_and_nothing_is_written(environment, program):
    folder = path_of(environment)
    before = contents(folder)
    with read_only(folder):
        status, said = ended(environment, PROGRAMS[program])
    assert (status, said.count("\n")) == (1, 1), said
    assert f"the data folder {folder} cannot be written to (" in said
    assert "set SCHEDSCOPE_DATA to a folder of yours" in said
    assert contents(folder) == before


@pytest.mark.parametrize("program", long_after(TO_DATABASE, 1))
def test_on_a_database_that_takes_no_writes_one_line_says_so(environment, program):
    database = path_of(environment) / "schedscope.sqlite3"
    content = database.read_bytes()
    with read_only(database):
        status, said = ended(environment, PROGRAMS[program])
    assert (status, said.count("\n")) == (1, 1), said
    assert "readonly database" in said
    assert database.read_bytes() == content


@pytest.mark.long
def test_of_two_that_start_at_one_moment_one_runs_and_the_other_says_why_it_does_not(environment, tmp_path):
    ports = [free_port(), free_port()]
    starts = []
    for port in ports:
        with (tmp_path / str(port)).open("w") as log:
            command = [sys.executable, *SERVE, str(port)]
            starts.append(subprocess.Popen(command, cwd=ROOT, env=environment, stdout=log, stderr=log))
    try:
        until(lambda: any(start.poll() is not None for start in starts))
        loser = next(number for number, start in enumerate(starts) if start.poll() is not None)
        said = (tmp_path / str(ports[loser])).read_text()
        assert (starts[loser].returncode, said.count("\n")) == (1, 1), said
        assert f"(process {starts[1 - loser].pid}); stop it first, or set SCHEDSCOPE_DATA" in said
        until(lambda: answers(("127.0.0.1", ports[1 - loser])))
    finally:
        for start in starts:
            start.terminate()
            start.wait(PATIENCE)

"""What `manage.py serve` says at a bad start, and what it does when its database goes while it runs."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
import urllib.error
import urllib.request
from contextlib import closing

import pytest

from tests.dashboard.common.processes.test_supervisor import environment, serve_words, serving, wait_for
from tests.faults.processes import embedded_environment, prepare
from tests.patience import PATIENCE
from tests.seeds import long_but
from tests.services.servers import free_port

pytestmark = pytest.mark.slow


def started(folder):
    """Return (status, lines of standard output, lines of standard error) of a start that ends by itself."""
    done = subprocess.run(
        serve_words(free_port()), env=environment(folder), capture_output=True, text=True, timeout=PATIENCE
    )
    return done.returncode, done.stdout.splitlines(), done.stderr.splitlines()


def answer(port, path, headers=None):
    """Return (status, text) of an address of the server."""
    request = urllib.request.Request(f"http://127.0.0.1:{port}{path}", headers=headers or {})
    try:
        with urllib.request.urlopen(request, timeout=PATIENCE) as response:
            return response.status, response.read().decode()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.read().decode()


@pytest.mark.parametrize("begin", [0, 4096], ids=["the head is overwritten", "the rest is overwritten"])
def test_damaged_database_is_one_line_that_says_what_to_do(tmp_path, begin):
    path = tmp_path / "schedscope.sqlite3"
    prepare(embedded_environment(tmp_path))
    size = path.stat().st_size
    with path.open("r+b") as file:
        file.seek(begin)
        file.write(os.urandom(size - begin))
    status, _said, errors = started(tmp_path)
    assert status == 1
    assert len(errors) == 1
    assert f"the database {path} is damaged (" in errors[0]
    assert "put a backup in its place, or move it away and start again" in errors[0]


@pytest.mark.long
@pytest.mark.parametrize("command", ["signin_link", "load_demo", "migrate"])
def test_every_command_says_in_one_line_that_the_database_is_damaged(tmp_path, command):
    (tmp_path / "schedscope.sqlite3").write_text("no database at all " * 500)
    arguments = [sys.executable, "manage.py", command]
    done = subprocess.run(arguments, env=environment(tmp_path), capture_output=True, text=True, timeout=PATIENCE)
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert "schedscope.sqlite3 is damaged" in done.stderr


def test_first_start_says_that_it_makes_a_database_and_a_later_one_that_it_was_gone(tmp_path):
    folder = tmp_path / "data"
    path = folder / "schedscope.sqlite3"
    assert f"schedscope: there is no database yet: making a new one, {path}" in said_before_it_prepares(folder)
    prepare(embedded_environment(folder))
    assert "making a new one" not in "".join(said_before_it_prepares(folder))
    path.unlink()
    path.touch()  # as a worker makes it that only looks for work
    assert f"schedscope: the database is gone: making a new one, {path}" in said_before_it_prepares(folder)


def said_before_it_prepares(folder):
    """Return the lines of a start up to the one that says that the database is being prepared; then stop it."""
    arguments, lines = serve_words(free_port()), []
    process = subprocess.Popen(
        arguments, env=environment(folder), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        while (line := process.stdout.readline()) and "preparing the database" not in line:
            lines.append(line.rstrip("\n"))
        assert line, process.stderr.read()
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=PATIENCE)
    finally:
        process.kill()
        process.communicate()
    return lines


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    """Yield (data folder, port, log path) of one server for the tests below, started with an empty secret key."""
    folder = tmp_path_factory.mktemp("served")
    prepare(embedded_environment(folder / "data"))
    (folder / "data" / "secret_key").write_text("")
    with serving(folder) as (_process, port, log):
        wait_for(lambda: "sign in once by" in log.read_text(), "the printed link, which is in the database, too")
        yield folder / "data", port, log


def test_empty_secret_key_is_filled_with_a_line_and_pages_work(served):
    _folder, port, log = served
    assert log.read_text().count("signs in again") == 1
    assert answer(port, "/signin")[0] == 200
    assert answer(port, "/healthz")[0] == 200


def test_server_whose_database_was_cut_short_goes_on_answering(served):
    """Pages that need it fail with words; no process dies of reading behind the end of the file."""
    folder, port, log = served
    path = folder / "schedscope.sqlite3"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    os.truncate(path, path.stat().st_size // 2)
    for _ in range(10):
        assert answer(port, "/healthz")[0] == 503
        assert answer(port, "/account/", {"Cookie": f"schedscope_session={'a' * 32}"})[0] == 500
    assert "web server ended" not in log.read_text()


def test_server_without_its_database_says_503_and_why(served):
    folder, port, _log = served
    for path in folder.glob("schedscope.sqlite3*"):
        path.unlink()
    status, text = answer(port, "/healthz")
    assert status == 503
    assert json.loads(text)["reason"].startswith("the database has no tables; put a backup in its place")


def n_rows(folder, table):
    """How many rows the table has by now."""
    try:
        with closing(sqlite3.connect(f"{(folder / 'schedscope.sqlite3').as_uri()}?mode=ro", uri=True)) as connection:
            return connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0]
    except sqlite3.Error:
        return 0


MOMENTS = {
    "the data folder is there": lambda folder: folder.exists(),
    "the key is there": lambda folder: (folder / "secret_key").exists(),
    "the settings are read": lambda folder: (folder / "uploads").exists(),
    "the folder is locked": lambda folder: (folder / "lock").exists(),
    "the database is there": lambda folder: (folder / "schedscope.sqlite3").exists(),
    "a migration is done": lambda folder: n_rows(folder, "django_migrations") > 0,
    "many migrations are done": lambda folder: n_rows(folder, "django_migrations") > 20,
    "the demo is being loaded": lambda folder: n_rows(folder, "accounts_user") > 0,
}
SHORT = ("the database is there",)


@pytest.mark.parametrize("moment", long_but(MOMENTS, SHORT))
def test_ctrl_c_at_any_moment_of_the_start_is_one_line(tmp_path, moment):
    folder = tmp_path / "data"
    command = [sys.executable, "manage.py", "serve", "--port", str(free_port())]
    process = subprocess.Popen(
        command, env=environment(folder), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    )
    try:
        wait_for(lambda: MOMENTS[moment](folder), moment)
        process.send_signal(signal.SIGINT)
        errors = process.communicate(timeout=PATIENCE)[1]
    finally:
        process.kill()
        process.communicate()
    assert process.returncode == -signal.SIGINT
    assert errors == "schedscope: stopped\n"
    if (folder / "schedscope.sqlite3").exists():
        with closing(sqlite3.connect(folder / "schedscope.sqlite3")) as connection:
            assert connection.execute("PRAGMA integrity_check").fetchone()[0] == "ok"

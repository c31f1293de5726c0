"""Real processes of an installation: management commands, workers that can be killed, web servers."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

import psycopg

from dashboard.common.processes.supervisor import worker_command
from tests.patience import PATIENCE
from tests.prepared import prepared
from tests.services import servers

ROOT = Path(__file__).resolve().parents[2]
OWNERS_SESSION = "TEST_OWNERS_SESSION"
NO_ROWS = "no_rows"
"""The database of a prepared PostgreSQL that has the tables alone."""
NO_REDIS = "redis://127.0.0.1:1/0"
"""What makes the tables and the owner asks no Redis."""
PREPARED = """
from django.core.management import call_command
call_command("migrate", verbosity=0)
call_command("signin_link")
"""
SESSION = """
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.contrib.sessions.backends.db import SessionStore
from dashboard.accounts.models import User
user, session = User.objects.get(), SessionStore()
session[SESSION_KEY] = str(user.pk)
session[BACKEND_SESSION_KEY] = "django.contrib.auth.backends.ModelBackend"
session[HASH_SESSION_KEY] = user.get_session_auth_hash()
session.create()
print(session.session_key)
"""


def embedded_environment(folder):
    """Return the environment of an embedded installation whose data is in `folder`."""
    left_out = ("SCHEDSCOPE_", "DJANGO_", "DATABASE_URL", "REDIS_URL")
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(left_out)}
    return inherited | {"SCHEDSCOPE_DATA": str(folder), "DJANGO_SETTINGS_MODULE": "dashboard.settings"}


def manage(environment, *arguments, seconds=PATIENCE):
    """Return what a management command printed within so many seconds."""
    command = [sys.executable, "manage.py", *arguments]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=seconds)
    assert done.returncode == 0, done.stderr
    return done.stdout


def prepare(environment):
    """Make the tables, the owner, their workspace and a session of theirs; return the environment."""
    if "DATABASE_URL" in environment:
        session = _prepared(environment)
    else:
        folder, session = prepared("embedded", lambda place: _prepared(embedded_environment(place)))
        shutil.copytree(folder, environment["SCHEDSCOPE_DATA"], dirs_exist_ok=True)
    return environment | {OWNERS_SESSION: session}


def _prepared(environment):
    """Prepare a database by one command; return the key of the owner's session."""
    arguments = ("shell", "--no-imports", "-c", PREPARED + SESSION)
    return manage(environment, *arguments).splitlines()[-1].strip()


def prepared_cluster():
    """Return (data folder of a stopped PostgreSQL, session key) of a production installation with an owner.

    To migrate takes longer than most of what the tests do with it. Its database NO_ROWS has the tables alone.
    """
    folder, session = prepared("production", _fill_cluster)
    return folder / "data", session


def _fill_cluster(folder):
    with servers.postgres() as server:
        environment = servers.production_environment(server.url, NO_REDIS, folder / "var")
        manage(environment, "migrate", "--verbosity", "0")
        with psycopg.connect(server.url, dbname="template1", autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {NO_ROWS} TEMPLATE postgres")
        session = _prepared(environment)
        server.stop(signal.SIGINT)
        shutil.copytree(server.data, folder / "data")
    return session


def sign_in(environment):
    """Return the session key of the owner of a prepared installation, signed in."""
    return environment[OWNERS_SESSION]


def start_run(environment, folder, manifests, *arguments):
    """Start a run of the manifests; return what the command says of it."""
    objects = folder / "objects.json"
    objects.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": manifests}))
    return json.loads(manage(environment, "start_run", str(objects), *arguments))


@contextmanager
def process(environment, command, log, pass_fds=()):
    """Yield a process; it is killed at the end."""
    with log.open("a") as out:
        child = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=out, stderr=out, pass_fds=pass_fds)
        try:
            yield child
        finally:
            child.kill()
            child.wait()


def worker(environment, log):
    """Yield the embedded installation's worker."""
    return process(environment, worker_command(), log)


def wait_until(condition, what, log):
    """Wait for the condition; fail with the processes' log."""
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline, f"{what}: not within {PATIENCE} s\n{log.read_text()}"
        time.sleep(0.01)

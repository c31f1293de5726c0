"""`manage.py serve`, installed `schedscope serve`: what `make run` runs."""

from __future__ import annotations

import sqlite3
from functools import partial
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.core.management import call_command, get_commands
from django.core.management.base import BaseCommand, CommandError
from django.db import OperationalError, connection, connections

from dashboard.common.database.preparing import prepare
from dashboard.common.database.sqlite_file import DamagedDatabase, FileState, check_file, need_writes
from dashboard.common.database.storage_problems import words_for_commands
from dashboard.common.processes.child import Child
from dashboard.common.processes.marked import ForkedProcess, SpawnedProcess
from dashboard.common.processes.supervisor import (
    PortError,
    Supervisor,
    answers_command,
    listen,
    web_command,
    worker_command,
)
from dashboard.data_folder import DataFolderError

if TYPE_CHECKING:
    from argparse import ArgumentParser

LINK_TRIES = 5


class Command(BaseCommand):
    """Have the installation prepared, start web server and workers, print the sign-in link, watch until Ctrl-C."""

    help = "Migrate, load the demo, start web server and workers, print the sign-in link."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add the address and the choice to start without the demo."""
        parser.add_argument("--host", default="127.0.0.1", help="address to listen on (127.0.0.1: this machine only)")
        parser.add_argument("--port", type=int, default=8000)
        parser.add_argument("--no-demo", action="store_true", help="do not load the demo clusters")

    def handle(self, *_args: Any, **options: Any) -> None:
        """Run until a signal comes; every failed precondition is one line."""
        host, port = options["host"], options["port"]
        try:
            lock = settings.DATA_FOLDER.lock()
            listener = listen(host, port)
            self._check_database()
        except (DataFolderError, PortError, DamagedDatabase) as error:
            raise CommandError(str(error)) from error
        except sqlite3.OperationalError as error:
            raise CommandError(words_for_commands(error)) from error
        with lock, listener:
            visible = "127.0.0.1" if host in {"0.0.0.0", "::"} else host
            settings.DATA_FOLDER.write_address(f"http://{f'[{visible}]' if ':' in visible else visible}:{port}")
            self._say("preparing the database")
            children = [
                Child("web server", lambda: SpawnedProcess(web_command(listener), (listener.fileno(),))),
                Child("worker", lambda: SpawnedProcess(worker_command())),
                Child("answer worker", lambda: SpawnedProcess(answers_command())),
            ]
            work = partial(prepare, self.stdout, self.stderr, with_demo=not options["no_demo"])
            preparation = Child("the preparation", lambda: ForkedProcess(work))
            status = Supervisor(self._say).run(preparation, children, self._greet)
        self._say("stopped")
        if status:
            raise SystemExit(status)

    def _check_database(self) -> None:
        """Say where a new database is made; raises DamagedDatabase,
        and sqlite3.OperationalError where it takes no writes. A server's own database is left to it."""
        if connection.vendor != "sqlite":
            return
        path = Path(connection.settings_dict["NAME"])
        if check_file(path) is FileState.READY:
            need_writes(path)
        else:
            gone = settings.DATA_FOLDER.was_used()
            self._say(f"{'the database is gone' if gone else 'there is no database yet'}: making a new one, {path}")

    def _greet(self) -> None:
        self._say(f"running at {settings.DATA_FOLDER.address()} (data in {settings.DATA_FOLDER.path}); Ctrl-C stops it")
        if "signin_link" in get_commands():
            self._say(self._way_in())
        # The children have connections of their own; the parent keeps none, so that nobody waits for its locks.
        connections.close_all()

    def _way_in(self) -> str:
        """Return what to say of the sign-in link; where the workers write all the time it is no reason to end."""
        link = StringIO()
        for _ in range(LINK_TRIES):
            try:
                call_command("signin_link", stdout=link)
            except OperationalError as error:
                problem = str(error).partition("\n")[0]
            else:
                return f"sign in once by {link.getvalue().strip()}"
        return f"there is no sign-in link yet ({problem}); the command signin_link prints one"

    def _say(self, text: str) -> None:
        self.stdout.write(f"schedscope: {text}")
        self.stdout.flush()

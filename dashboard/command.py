"""Django's commands with errors of one line: what `manage.py` runs, and an installed `schedscope serve`."""

from __future__ import annotations

import os
import signal
import sys
from typing import TYPE_CHECKING

from django.core.exceptions import ImproperlyConfigured
from django.core.management import execute_from_command_line
from django.db import DatabaseError

from dashboard.common.database.sqlite_file import DamagedDatabase, damage_in
from dashboard.data_folder import DataFolderError

if TYPE_CHECKING:
    from collections.abc import Sequence


def execute(argv: Sequence[str]) -> None:
    """Run the management command `argv[1]`; `argv[0]` is the program. Ends by SystemExit with a line where it fails."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "dashboard.settings")
    try:
        execute_from_command_line(list(argv))
    except (DataFolderError, ImproperlyConfigured) as error:
        sys.exit(f"schedscope: {error}")
    except (DatabaseError, OSError) as error:
        if (words := _words(error)) is None:
            raise
        sys.exit(f"schedscope: {words}")


def _words(error: DatabaseError | OSError) -> str | None:
    """Return what to say of an error that a person has to mend, None for one of the program."""
    # Settings are read by now: nothing before them opens a database, and the data folder has words of its own.
    from django.conf import settings

    from dashboard.common.database.storage_problems import words_for_commands

    if words := damage_in(error):
        return str(DamagedDatabase(settings.DATABASES["default"]["NAME"], words))
    return words_for_commands(error)


def run(argv: Sequence[str]) -> int:
    """Run the command of an installed `schedscope`, whose name `argv` begins with; return the exit status 0."""
    # The command line ends where its reader goes away; a server gets an error for that one connection.
    signal.signal(signal.SIGPIPE, signal.SIG_IGN)
    execute(["schedscope", *argv])
    return 0

"""What the start of an embedded installation has done to its database before anybody reads it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from django.conf import settings
from django.core.management import call_command, get_commands
from django.core.management.base import CommandError
from django.db import DatabaseError, OperationalError, connections

from dashboard.common.database.sqlite_file import DamagedDatabase, damage_in
from dashboard.common.processes.child import REFUSED

if TYPE_CHECKING:
    from io import StringIO

    from django.core.management.base import OutputWrapper

# The worker of an installation that was killed a moment ago may still end its transaction: another try is of use.
LOCKED = "locked"


def prepare(out: OutputWrapper | StringIO, errors: OutputWrapper | StringIO, *, with_demo: bool) -> int:
    """Bring the database to its last migration and load the demo; return an exit status.

    REFUSED is for what a person has to mend, with a line that says what it is. Raises what is an error of the program.
    """
    try:
        call_command("migrate", verbosity=0)
        if with_demo and "load_demo" in get_commands():
            call_command("load_demo", stdout=out)
    except (DatabaseError, CommandError) as error:
        problem = _problem(error)
        if problem is None:
            raise
        errors.write(f"schedscope: {problem}\n")
        return 1 if LOCKED in problem else REFUSED
    finally:
        connections.close_all()
    return 0


def _problem(error: DatabaseError | CommandError) -> str | None:
    """Return what to say of an error that a person has to mend, None for one of the program."""
    if isinstance(error, CommandError):
        return str(error)
    if words := damage_in(error):
        return str(DamagedDatabase(Path(settings.DATABASES["default"]["NAME"]), words))
    if isinstance(error, OperationalError):
        # No space, no rights, no server: the first line says which.
        return f"the database cannot be prepared: {str(error).partition(chr(10))[0]}"
    return None

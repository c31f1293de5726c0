"""The SQLite file of an embedded installation: whether it is there, whether it is whole, what it could give back.

Only Python's own sqlite3: it is asked before Django opens the file, and when Django cannot.
"""

from __future__ import annotations

import enum
import sqlite3
import time
from contextlib import closing, suppress
from pathlib import Path

# So long a start may look for damage; a file of 300 MB is read in less.
CHECK_SECONDS = 2.0
CHECK_STEPS = 10_000


class DamagedDatabase(Exception):
    """The file is no database, or parts of it are gone; the message is one line that says what to do."""

    def __init__(self, path: Path, why: object) -> None:
        super().__init__(
            f"the database {path} is damaged ({why}); put a backup in its place, or move it away "
            "and start again with an empty one"
        )


class FileState(enum.Enum):
    """What there is at the path of a database."""

    MISSING = "missing"
    EMPTY = "empty"  # a file without tables, as a process makes that only opens it
    READY = "ready"


def state_of(path: Path, seconds: float = CHECK_SECONDS) -> FileState:
    """Return what there is at the path; raises DamagedDatabase where that is found within so many seconds.

    Damage that shows only later in the file is found when somebody reads there.
    """
    if not path.exists():
        return FileState.MISSING
    with suppress(sqlite3.OperationalError), closing(_opened(path)) as connection:
        # An OperationalError (no rights, no space, interrupted) is no damage: who uses the file will meet it.
        try:
            if connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0] == 0:
                return FileState.EMPTY
            _look_for_damage(path, connection, time.monotonic() + seconds)
        except sqlite3.OperationalError:
            raise
        except sqlite3.DatabaseError as error:
            raise DamagedDatabase(path, error) from error
    return FileState.READY


def damage_in(error: BaseException | None) -> str:
    """Return SQLite's words where the error, or one that caused it, tells of a damaged file; else ""."""
    while error is not None:
        code = getattr(error, "sqlite_errorcode", None)
        if code is not None and code & 0xFF in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
            return str(error)
        error = error.__cause__
    return ""


def _opened(path: Path) -> sqlite3.Connection:
    # mode=rw: never make the file; a journal that a killed process left is played back.
    return sqlite3.connect(f"{path.as_uri()}?mode=rw", uri=True, timeout=5)


def _look_for_damage(path: Path, connection: sqlite3.Connection, deadline: float) -> None:
    connection.set_progress_handler(lambda: time.monotonic() > deadline, CHECK_STEPS)
    found = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
    if found != "ok":
        raise DamagedDatabase(path, " ".join(found.split()))

"""The SQLite file of an embedded installation: whether it is there, whether it is whole, what it could give back.

Only Python's own sqlite3: it is asked before Django opens the file, and when Django cannot.

Giving back: what is deleted leaves free pages in the file, which later rows use again. With auto_vacuum=INCREMENTAL
pages from the end of the file are moved into the free ones, some at a time, and the file is cut. A file has that mode
from its beginning, or from a full VACUUM on, which rewrites all of it: that needs a stop, time and disk space, so it
is offered (`manage.py compact_database`) and never done unasked.
"""

from __future__ import annotations

import enum
import shutil
import sqlite3
import time
from contextlib import closing, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

# So long a start may look for damage; a file of 300 MB is read in less.
CHECK_SECONDS = 2.0
CHECK_STEPS = 10_000

# A step of giving back holds the lock for some hundredths of a second; between two of them others get their turn.
STEP_PAGES = 256
PAUSE_SECONDS = 0.02
# On a slow disk; the laptop of the first measurements wrote three times as much.
VACUUM_BYTES_PER_SECOND = 40_000_000
SPARE_BYTES = 16 << 20
WORTH_BYTES, WORTH_SHARE = 32 << 20, 0.2
INCREMENTAL = 2  # what PRAGMA auto_vacuum answers


class DamagedDatabase(Exception):
    """The file is no database, or parts of it are gone; the message is one line that says what to do."""

    def __init__(self, path: Path, why: object) -> None:
        super().__init__(
            f"the database {path} is damaged ({why}); put a backup in its place, or move it away "
            "and start again with an empty one; `manage.py restore` puts the newest backup there"
        )


@dataclass(frozen=True)
class FileRoom:
    """What a file takes, in bytes, and what a full VACUUM would need and gain."""

    size: int
    free: int
    disk_free: int
    is_incremental: bool

    @property
    def needed(self) -> int:
        """Return the disk space that a full VACUUM needs meanwhile: a copy of what is in use, and its journal."""
        return 2 * (self.size - self.free)

    @property
    def fits(self) -> bool:
        """Return whether the disk has that space."""
        return self.needed + SPARE_BYTES <= self.disk_free

    @property
    def seconds(self) -> int:
        """Return about how long a full VACUUM takes."""
        return max(1, round((self.size - self.free) / VACUUM_BYTES_PER_SECOND))

    @property
    def is_worth_it(self) -> bool:
        """Return whether so much is free that people should hear of it."""
        return self.free >= WORTH_BYTES and self.free >= WORTH_SHARE * self.size


class FileState(enum.Enum):
    """What there is at the path of a database."""

    MISSING = "missing"
    EMPTY = "empty"  # a file without tables, as a process makes that only opens it
    READY = "ready"


def check_file(path: Path, seconds: float = CHECK_SECONDS) -> FileState:
    """Return what there is at the path; raises DamagedDatabase where that is found within `seconds`.

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


def need_writes(path: Path) -> None:
    """Raise sqlite3.OperationalError where the file takes no writes; one that somebody writes just now does."""
    with closing(_opened(path)) as connection:
        try:
            connection.execute("BEGIN IMMEDIATE")
            # Of a file that takes no writes the statement before makes a transaction that reads.
            connection.execute(f"PRAGMA user_version = {_pragma(connection, 'user_version')}")
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY:
                raise
        finally:
            connection.rollback()


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
    result = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
    if result != "ok":
        raise DamagedDatabase(path, " ".join(result.split()))


# ---------------------------------------------------------------- giving back


def file_sizes(path: Path) -> FileRoom:
    """Return the sizes of the file and of its disk; raises sqlite3.Error where it cannot be read."""
    with closing(_opened(path)) as connection:
        page, free, mode = (_pragma(connection, name) for name in ("page_size", "freelist_count", "auto_vacuum"))
    return FileRoom(path.stat().st_size, page * free, shutil.disk_usage(path.parent).free, mode == INCREMENTAL)


def begin_incremental(connection: Any) -> None:
    """Let a database without tables give its pages back in steps; on one with tables this does nothing.

    `connection` is one of sqlite3's, outside of a transaction.
    """
    is_empty = connection.execute("SELECT 1 FROM sqlite_master").fetchone() is None
    if is_empty and _pragma(connection, "auto_vacuum") != INCREMENTAL:
        connection.executescript("PRAGMA auto_vacuum=INCREMENTAL; VACUUM;")


def give_back(connection: Any, seconds: float) -> bool:
    """Cut free pages off the file for about so long; return whether some are left that could be.

    Does nothing in a file that is not incremental. `connection` is one of sqlite3's in autocommit mode.
    """
    if _pragma(connection, "auto_vacuum") != INCREMENTAL:
        return False
    deadline = time.monotonic() + seconds
    while _pragma(connection, "freelist_count"):
        if time.monotonic() >= deadline:
            return True
        # A script, since execute() would stop after the first page.
        connection.executescript(f"PRAGMA incremental_vacuum({STEP_PAGES})")
        time.sleep(PAUSE_SECONDS)
    # The file is cut when the journal is copied into it; readers of older pages put that off to a later copy.
    connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchall()
    return False


def compact(path: Path) -> None:
    """Rewrite the whole file without free pages; from then on it gives pages back in steps.

    Nobody else may have it open. Killed or out of space it leaves the file as it was. Raises sqlite3.Error.
    """
    # The copy is made beside the file, whose disk was asked for its space, and not in a /tmp that may be memory.
    folder = str(path.parent).replace("'", "''")
    with closing(_opened(path)) as connection:
        connection.isolation_level = None
        connection.executescript(f"PRAGMA temp_store=FILE; PRAGMA temp_store_directory='{folder}';")
        connection.executescript("PRAGMA auto_vacuum=INCREMENTAL; VACUUM;")
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()


def _pragma(connection: Any, name: str) -> int:
    return int(connection.execute(f"PRAGMA {name}").fetchone()[0])

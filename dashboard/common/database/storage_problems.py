"""What a failure of the database or of the disk means to people: a full disk, one that takes no writes, no database.

SQLite says "disk I/O error" of a full disk where it needs room for what is not its file (the shared memory of its
journal), and of a quota. So the folder is asked: a probe is written into it, whose failure says what there is.
"""

from __future__ import annotations

import errno
import os
import sqlite3
import tempfile
from typing import TYPE_CHECKING

from django.conf import settings
from django.db import InterfaceError, OperationalError

from dashboard.common.problems import Problem

if TYPE_CHECKING:
    from pathlib import Path

FULL_ERRNO = {errno.ENOSPC, errno.EDQUOT}
# EFBIG: a limit on the size of files (ulimit -f).
_LIMIT_ERRNO = FULL_ERRNO | {errno.EFBIG}
# PostgreSQL: disk_full, read_only_sql_transaction (a standby, or a server whose disk failed).
FULL_SQLSTATE, READ_ONLY_SQLSTATE = "53100", "25006"
_ASK_FOLDER = {sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN}
_PROBE_BYTES = 1 << 16


class StorageFull(Problem):
    """The disk that the database or an upload is written to has no room."""

    status = 507
    title = "The disk is full"


class StorageReadOnly(Problem):
    """The disk or the database takes no writes."""

    status = 503
    title = "Nothing can be written"


class DatabaseAway(Problem):
    """The database does not answer."""

    status = 503
    title = "The database does not answer"


def storage_problem(error: BaseException | None) -> Problem | None:
    """Return what to tell people of an exception, None where it has to do with neither disk nor database.

    The causes of the exception count as well: Django reports a session that it could not write as a deleted one.
    """
    while error is not None:
        kind = _kind(error)
        if kind is StorageFull:
            return StorageFull(
                "Nothing of what you sent was saved. Make room on the disk of the data folder or of the database, "
                "then send it again. Pages can be read meanwhile, and runs go on when there is room."
            )
        if kind is StorageReadOnly:
            return StorageReadOnly(
                "Nothing of what you sent was saved: the disk or the database takes no writes. Ask the operator "
                "to look why: a disk that is mounted read-only, a file of another user, a standby."
            )
        if kind is DatabaseAway:
            return DatabaseAway(
                "Load the page again in a moment. If you sent something, look whether it is there before you send it "
                "again. Runs go on when the database is back."
            )
        error = error.__cause__ or error.__context__
    return None


def words_for_commands(error: BaseException) -> str | None:
    """Return one line on an exception that ended a command, with what to do; None for an error of the program."""
    kind = type(storage_problem(error))
    if kind is StorageFull:
        return f"the disk is full ({_first_line(error)}); make room on the disk of {settings.DATA_FOLDER.path}"
    if kind is StorageReadOnly:
        path = settings.DATA_FOLDER.path
        return f"nothing can be written ({_first_line(error)}); see to rights and disk of {path} and of the database"
    if kind is DatabaseAway and not _is_mistaken(error):
        return f"the database does not answer ({_first_line(error)}); try again once it does"
    return None


def _is_mistaken(error: BaseException) -> bool:
    """Return whether SQLite refused the statement itself: a table that is missing, an error of ours."""
    return getattr(error.__cause__ or error, "sqlite_errorcode", None) == sqlite3.SQLITE_ERROR


def _first_line(error: BaseException) -> str:
    return str(error).partition("\n")[0]


def _kind(error: BaseException) -> type[Problem] | None:
    """Return which problem the exception is by itself, its causes left out."""
    if isinstance(error, OSError):
        return _of_errno(error.errno)
    cause = error.__cause__ if error.__cause__ is not None else error
    state = getattr(cause, "sqlstate", "")
    if state in (FULL_SQLSTATE, READ_ONLY_SQLSTATE):
        return StorageFull if state == FULL_SQLSTATE else StorageReadOnly
    if not isinstance(error, OperationalError | InterfaceError | sqlite3.OperationalError):
        return None
    code = (getattr(cause, "sqlite_errorcode", 0) or 0) & 0xFF
    if code == sqlite3.SQLITE_FULL:
        return StorageFull
    if code == sqlite3.SQLITE_READONLY:
        return StorageReadOnly
    return (_of_errno(probe(settings.DATA_FOLDER.path)) if code in _ASK_FOLDER else None) or DatabaseAway


def _of_errno(number: int | None) -> type[Problem] | None:
    if number in _LIMIT_ERRNO:
        return StorageFull
    return StorageReadOnly if number == errno.EROFS else None


def probe(folder: Path) -> int | None:
    """Return the errno with which writing 64 KiB into the folder fails, None where it does not."""
    try:
        with tempfile.TemporaryFile(dir=folder) as file:
            file.write(bytes(_PROBE_BYTES))
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        return error.errno
    return None

"""What people read when the database does not answer, or when there is no room left to write to."""

from __future__ import annotations

import errno
import sqlite3

from django.db import InterfaceError, OperationalError

from dashboard.common.problems import Problem

FULL_ERRNO = {errno.ENOSPC, errno.EDQUOT}
FULL_SQLSTATE = "53100"  # PostgreSQL: disk_full


class StorageFull(Problem):
    """The disk that the database or an upload is written to has no room."""

    status = 507
    title = "The disk is full"


class DatabaseAway(Problem):
    """The database does not answer."""

    status = 503
    title = "The database does not answer"


def storage_problem(error: BaseException | None) -> Problem | None:
    """Return what to tell people of an exception, None where it has to do with neither disk nor database.

    What stands behind it counts as well: Django tells of a session that it could not write as of one that was deleted.
    """
    while error is not None:
        if _is_full(error):
            return StorageFull(
                "Nothing of what you sent was saved. Make room on the disk of the data folder or of the database, "
                "then send it again. Pages can be read meanwhile, and runs go on when there is room."
            )
        if isinstance(error, OperationalError | InterfaceError):
            return DatabaseAway(
                "Load the page again in a moment. If you sent something, look whether it is there before you send it "
                "again. Runs go on when the database is back."
            )
        error = error.__cause__ or error.__context__
    return None


def _is_full(error: BaseException) -> bool:
    if isinstance(error, OSError):
        return error.errno in FULL_ERRNO
    if not isinstance(error, OperationalError):
        return False
    cause = error.__cause__
    is_sqlite = isinstance(cause, sqlite3.Error) and getattr(cause, "sqlite_errorcode", 0) == sqlite3.SQLITE_FULL
    return is_sqlite or getattr(cause, "sqlstate", "") == FULL_SQLSTATE

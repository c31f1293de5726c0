"""Which errors are of the disk or the database, and what is said of them on pages and by commands."""

from __future__ import annotations

import errno
import sqlite3

import pytest
from django.db import DatabaseError, InterfaceError, InternalError, OperationalError

from dashboard.common.database import storage_problems
from dashboard.common.database.storage_problems import (
    DatabaseAway,
    StorageFull,
    StorageReadOnly,
    probe,
    storage_problem,
    words_for_commands,
)


def of_sqlite(code):
    """Django's error of one of SQLite with this code."""
    error, cause = OperationalError("words of SQLite\nand more"), sqlite3.OperationalError("words of SQLite")
    cause.sqlite_errorcode = code
    error.__cause__ = cause
    return error


def of_postgresql(kind, sqlstate):
    """Django's error of one of psycopg with this state."""
    error, cause = kind("words of PostgreSQL"), Exception()
    cause.sqlstate = sqlstate
    error.__cause__ = cause
    return error


ERRORS = {
    "no space": (OSError(errno.ENOSPC, "No space left on device"), StorageFull),
    "a quota": (OSError(errno.EDQUOT, "Quota exceeded"), StorageFull),
    "a limit on files": (OSError(errno.EFBIG, "File too large"), StorageFull),
    "a read-only disk": (OSError(errno.EROFS, "Read-only file system"), StorageReadOnly),
    "SQLite is full": (of_sqlite(sqlite3.SQLITE_FULL), StorageFull),
    "SQLite may not write": (of_sqlite(sqlite3.SQLITE_READONLY_DBMOVED), StorageReadOnly),
    "PostgreSQL is full": (of_postgresql(OperationalError, "53100"), StorageFull),
    "a standby": (of_postgresql(InternalError, "25006"), StorageReadOnly),
    "no server": (OperationalError("server closed the connection"), DatabaseAway),
    "a closed connection": (InterfaceError("the connection is closed"), DatabaseAway),
    "another file": (OSError(errno.ENOENT, "No such file"), None),
    "an error of ours": (DatabaseError("no such table"), None),
    "no error of these": (ValueError("x"), None),
    "none": (None, None),
}


@pytest.mark.parametrize("name", ERRORS)
def test_which_errors_are_of_the_disk_or_the_database(name):
    error, problem = ERRORS[name]
    assert type(storage_problem(error)) is (problem or type(None))


def test_a_cause_counts():
    error = ValueError("the session was deleted")
    error.__context__ = of_sqlite(sqlite3.SQLITE_FULL)
    assert isinstance(storage_problem(error), StorageFull)


@pytest.mark.parametrize(
    ("number", "problem"),
    [(errno.ENOSPC, StorageFull), (errno.EDQUOT, StorageFull), (errno.EROFS, StorageReadOnly), (None, DatabaseAway)],
)
@pytest.mark.parametrize("code", [sqlite3.SQLITE_IOERR_WRITE, sqlite3.SQLITE_CANTOPEN])
def test_of_an_error_of_input_and_output_the_folder_says_what_it_is(monkeypatch, code, number, problem):
    monkeypatch.setattr(storage_problems, "probe", lambda _folder: number)
    assert type(storage_problem(of_sqlite(code))) is problem


def test_the_probe_leaves_nothing_and_says_why_it_failed(tmp_path):
    assert probe(tmp_path) is None
    assert list(tmp_path.iterdir()) == []
    assert probe(tmp_path / "no folder") == errno.ENOENT


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("no space", "the disk is full ([Errno 28] No space left on device); make room"),
        ("SQLite may not write", "nothing can be written (words of SQLite); see to rights and disk"),
        ("no server", "the database does not answer (server closed the connection); try again"),
        ("another file", None),
    ],
)
def test_words_for_commands(name, sentence):
    said = words_for_commands(ERRORS[name][0])
    assert said is None if sentence is None else said.startswith(sentence)


def test_a_statement_that_sqlite_refuses_is_an_error_of_ours():
    assert words_for_commands(of_sqlite(sqlite3.SQLITE_ERROR)) is None

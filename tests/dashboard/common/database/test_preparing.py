"""What is done to the database at a start, and what a failure of it says to the supervisor."""

from __future__ import annotations

import sqlite3
from io import StringIO

import pytest
from django.core.management import CommandError
from django.db import DatabaseError, OperationalError, ProgrammingError

from dashboard.common.database import preparing
from dashboard.common.database.preparing import prepare
from dashboard.common.processes.child import REFUSED


@pytest.fixture(autouse=True)
def _no_connection_is_closed(monkeypatch):
    """The tests' own has a transaction."""
    monkeypatch.setattr(preparing.connections, "close_all", lambda: None)


def failed(monkeypatch, error):
    """Return (exit status, lines of errors) where the migrations raise the error."""

    def fail(*_words, **_options):
        raise error

    monkeypatch.setattr(preparing, "call_command", fail)
    errors = StringIO()
    status = prepare(StringIO(), errors, with_demo=True)
    return status, errors.getvalue().splitlines()


@pytest.mark.parametrize(("with_demo", "commands"), [(True, ["migrate", "load_demo"]), (False, ["migrate"])])
def test_it_migrates_and_loads_the_demo(monkeypatch, with_demo, commands):
    names = []
    monkeypatch.setattr(preparing, "call_command", lambda name, **_options: names.append(name))
    assert prepare(StringIO(), StringIO(), with_demo=with_demo) == 0
    assert names == commands


def damaged():
    error, cause = DatabaseError("database disk image is malformed"), sqlite3.DatabaseError("it is malformed")
    cause.sqlite_errorcode = sqlite3.SQLITE_CORRUPT
    error.__cause__ = cause
    return error


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (OperationalError("database or disk is full"), REFUSED),
        (OperationalError("connection refused\nis it running?"), REFUSED),
        (OperationalError("database is locked"), 1),
        (damaged(), REFUSED),
        (CommandError("the demo cannot be loaded: no space"), REFUSED),
    ],
    ids=["no space", "no server", "somebody writes", "a damaged file", "no demo"],
)
def test_what_a_person_has_to_mend_is_one_line(monkeypatch, error, status):
    code, lines = failed(monkeypatch, error)
    assert (code, len(lines)) == (status, 1)


def test_an_error_of_the_program_keeps_its_traceback(monkeypatch):
    with pytest.raises(ProgrammingError):
        failed(monkeypatch, ProgrammingError("no such column"))

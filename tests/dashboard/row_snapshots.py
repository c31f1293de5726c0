"""Rows of fixtures: made once in a process, and put into the database again where it is as it was before.

A fixture that runs a scene takes a hundred times as long as writing what the run leaves. What `make` writes must follow
from the rows that are there: it asks no clock that a test sets and nothing that a test patches. The whole database is
compared, so that rows which another fixture made before are part of the question.
"""

from __future__ import annotations

from collections import deque
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar

from django.db import connection

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")
Rows = dict[int, tuple[Any, ...]]
"""{rowid: the row's values}"""
Tables = dict[str, Rows]
SEQUENCES = "sqlite_sequence"
# Filled with the tables, and never again.
CONSTANT = {"auth_permission", "django_content_type"}
# Starts that are kept for each name: a fixture that meets new rows each time must not fill the memory.
STARTS = 8

_written: dict[str, deque[tuple[Tables, Tables, Any]]] = {}


def snapshot_of(name: str, make: Callable[[], T]) -> T:
    """Write what `make` writes, and return what it returns: a plain value, such as a number.

    Without a transaction that ends with the test, and on other databases than SQLite, it is made each time.
    """
    if connection.vendor != "sqlite" or not connection.in_atomic_block:
        return make()
    before = _tables()
    for there, after, returned in _written.setdefault(name, deque(maxlen=STARTS)):
        if there == before:
            _write(before, after)
            return returned
    returned = make()
    _written[name].append((before, _tables(), returned))
    return returned


@cache
def _columns() -> dict[str, str]:
    """Return {table: its columns, those left out that the database computes}."""
    execute = connection.connection.execute
    tables = [name for (name,) in execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
    infos = {name: execute(f'PRAGMA table_info("{name}")') for name in tables if name not in CONSTANT}
    return {name: ", ".join(f'"{column[1]}"' for column in info) for name, info in infos.items()}


@cache
def _which_have_rows() -> str:
    """Return the question which tables have any: one row, a value for each table."""
    return "SELECT " + ", ".join(f'EXISTS (SELECT 1 FROM "{name}")' for name in _columns())


def _tables() -> Tables:
    """Return the rows of all tables that have any."""
    execute = connection.connection.execute
    has_rows = execute(_which_have_rows()).fetchone()
    return {
        name: {row[0]: row[1:] for row in execute(f'SELECT rowid, {columns} FROM "{name}"')}
        for (name, columns), has_any in zip(_columns().items(), has_rows, strict=True)
        if has_any
    }


def _write(before: Tables, after: Tables) -> None:
    """Turn the rows of one state into those of another; constraints are checked when the transaction ends."""
    # Inserting moves the sequences, which are set behind it.
    for name in sorted(before.keys() | after.keys(), key=lambda name: (name == SEQUENCES, name)):
        old, new = before.get(name, {}), after.get(name, {})
        if name == SEQUENCES:
            connection.connection.execute(f'DELETE FROM "{name}"')
            old = {}
        gone = [(rowid,) for rowid, row in old.items() if new.get(rowid) != row]
        added = [row for rowid, row in new.items() if old.get(rowid) != row]
        if gone:
            connection.connection.executemany(f'DELETE FROM "{name}" WHERE rowid = ?', gone)
        if added:
            places = ", ".join("?" * len(added[0]))
            connection.connection.executemany(f'INSERT INTO "{name}" ({_columns()[name]}) VALUES ({places})', added)

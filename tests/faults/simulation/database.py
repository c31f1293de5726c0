"""The SQLite file of a simulation: every statement is a pause, lock waits take virtual time, and statements fail.

Idea: each simulated thread has a connection of its own to one file in WAL mode, as in an embedded installation.
Whoever finds the file locked waits for the end of the writer's transaction, for 20 virtual seconds at most. A statement
or commit that fails has either had no effect, or had it and the reply was lost, as over a network. A killed process'
transaction is rolled back.

Invariant: what is committed is what the product committed; `on_commit` sees every commit, right after it.
Cost: a pause for each statement and two for each commit.

    database = Database(scheduler, path, weather)
    with database.installed():
        scheduler.spawn(worker, "main", lambda: Run.objects.count())
"""

from __future__ import annotations

import re
import sqlite3
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

from django.db import OperationalError, connections
from django.db.backends.signals import connection_created
from django.db.backends.sqlite3._functions import register as register_functions
from django.db.backends.sqlite3.base import DatabaseWrapper

from tests.faults.simulation.scheduling import Killed, Thread
from tests.faults.simulation.shims import EPOCH, Waiting

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tests.faults.simulation.scheduling import Scheduler
    from tests.faults.simulation.weather import Weather

LOCK_SECONDS = 20.0
TABLE = re.compile(r'(?:FROM|INTO|UPDATE) "(\w+)"')
WRITES = ("INSERT", "UPDATE", "DELETE")


class Database:
    """The file, who waits for its lock, and its clock (`clock_offset` seconds were added by somebody who set it)."""

    def __init__(self, scheduler: Scheduler, path: Path, weather: Weather) -> None:
        self.scheduler, self.path, self.weather = scheduler, path, weather
        self.clock_offset = 0.0
        self.on_commit: Callable[[Thread], object] = lambda _thread: None
        self._locked = Waiting(scheduler)
        self._free: list[sqlite3.Connection] = []
        self._witness: sqlite3.Connection | None = None

    @property
    def now(self) -> float:
        """The database's clock, in seconds since 1970."""
        return EPOCH + self.scheduler.clock + self.clock_offset

    def rows(self, sql: str) -> list[tuple[Any, ...]]:
        """Return what is committed now, by a connection that disturbs nobody."""
        if self._witness is None:
            self._witness = sqlite3.connect(self.path, isolation_level=None, check_same_thread=False)
        return self._witness.execute(sql).fetchall()

    @contextmanager
    def installed(self) -> Iterator[None]:
        """Within the block, threads of the simulation connect to this file."""
        before = connections.settings["default"]
        options = {"transaction_mode": before["OPTIONS"]["transaction_mode"], "timeout": 0}
        connections.settings["default"] = {**before, "NAME": str(self.path), "OPTIONS": options, "CONN_MAX_AGE": None}
        connection_created.connect(self._connected)
        try:
            with patch.object(DatabaseWrapper, "get_new_connection", self._connection):
                yield
        finally:
            for one in self._free:
                one.close()
            connection_created.disconnect(self._connected)
            connections.settings["default"] = before
            if self._witness is not None:
                self._witness.close()

    # ---------------------------------------------------------------- connections

    def _connected(self, connection: Any, **_signal: Any) -> None:
        if self._execute not in connection.execute_wrappers:
            connection.execute_wrappers.append(self._execute)
            connection._commit = lambda: self._commit(connection)
            connection._rollback = lambda: self._rollback(connection)
            connection._close = lambda: self._close(connection)

    def _connection(self, settings: dict[str, Any]) -> sqlite3.Connection:
        """Return a connection that nobody uses, or a new one: opening reads all of the schema, which takes longest."""
        if self._free:
            return self._free.pop()
        made = sqlite3.connect(**settings)
        made.execute("PRAGMA foreign_keys = ON")
        made.execute("PRAGMA synchronous = OFF")
        register_functions(made)
        made.create_function("STRFTIME", 2, self._strftime)
        return made

    def _close(self, connection: Any) -> None:
        """Give the connection to the next one, without its transaction."""
        raw, connection.connection = connection.connection, None
        if raw is not None:
            raw.rollback()
            self._free.append(raw)
            self._locked.wake()

    def _strftime(self, form: str, when: str) -> str:
        assert (form, when) == ("%Y-%m-%d %H:%M:%f", "NOW"), "another use of SQLite's clock than Now()"
        return datetime.fromtimestamp(self.now, UTC).strftime("%Y-%m-%d %H:%M:%S.%f")[:-3]

    def _execute(self, execute: Any, sql: str, params: Any, many: bool, context: dict[str, Any]) -> Any:
        connection = context["connection"]
        try:
            self.scheduler.pause(_label(sql), self.weather.statement_seconds())
            trouble = self._trouble()
            if trouble == "before":
                raise OperationalError("simulated: the database failed")
            result = self._unlocked(lambda: execute(sql, params, many, context))
        except Killed:
            self._close(connection)
            raise
        if sql.startswith(WRITES) and not connection.in_atomic_block:
            self._committed()
            if trouble == "after":
                raise OperationalError("simulated: the reply of the database was lost")
        return result

    def _trouble(self) -> str:
        trouble, thread = self.weather.trouble(), self.scheduler.current
        assert thread is not None
        thread.failures = thread.failures + 1 if trouble else 0
        return trouble

    def _unlocked(self, execute: Callable[[], Any]) -> Any:
        until = self.scheduler.now + LOCK_SECONDS
        while True:
            try:
                return execute()
            except OperationalError as error:
                if "locked" not in str(error) or self.scheduler.now >= until:
                    raise
                self._locked.wait("waits for the database's lock", until)

    def _commit(self, connection: Any) -> None:
        if connection.connection is None:
            return
        try:
            self.scheduler.pause("COMMIT", self.weather.statement_seconds())
        except Killed:
            self._close(connection)
            raise
        trouble = self._trouble()
        if trouble == "before":
            self._rollback(connection)
            raise OperationalError("simulated: the database failed at the commit")
        connection.connection.commit()
        self._committed()
        if trouble == "after":
            raise OperationalError("simulated: the reply to the commit was lost")
        self.scheduler.pause("committed")

    def _rollback(self, connection: Any) -> None:
        if connection.connection is not None:
            connection.connection.rollback()
        self._locked.wake()

    def _committed(self) -> None:
        self._locked.wake()
        assert self.scheduler.current is not None
        self.on_commit(self.scheduler.current)


def _label(sql: str) -> str:
    """A statement's verb and table, for the history."""
    verb, table = sql.partition(" ")[0], TABLE.search(sql)
    return f"{verb} {table[1]}" if table else verb

"""A plugin of pytest that notes which statements each test of the dashboard sends to the database.

tests/services/only_with_database.py reads the notes, and repeats on PostgreSQL the fewest tests that send them all.

A statement is its text without literals and lengths of lists, together with what is unusual about its parameters:
SQLite takes NUL, long texts and large numbers where PostgreSQL refuses them. Tests in which a statement failed are
marked, as a transaction of PostgreSQL goes on differently after that.

    UPDATE "runs_run" SET "name" = %s WHERE "id" IN (%s, %s)      ["a\\0b", 1, 2]
    -> UPDATE "runs_run" SET "name" = %s WHERE "id" IN (%s) NUL

Plain is what every database takes alike: columns that are read or written, compared, joined and ordered, without
functions, conditions and unusual parameters. The one above is not plain, without NUL it is.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import re
import time
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest
from django.db.backends.signals import connection_created

from tests.prepared import FOLDER

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

NOTED = "tests/dashboard/"
LONG_TEXT = 200
_LISTS = re.compile(r"%s(?:, ?%s)+")
_ROWS = re.compile(r"\(%s\)(?:, ?\(%s\))+")
_SAVEPOINTS = re.compile(r'"?s\d+_x\d+"?')
_LITERALS = re.compile(r"'[^']*'|\b\d+\b")
_PLAIN = re.compile(
    r"""(?:"\w+"|[%]s|[?(),.=<>;\s]|SELECT|INSERT\ INTO|VALUES|UPDATE|SET|DELETE|FROM|(?:INNER|LEFT\ OUTER)\ JOIN|ON|AS
    |WHERE|AND|OR|NOT|IN|IS|NULL|ORDER\ BY|ASC|DESC|LIMIT|OFFSET|RETURNING|U\d|null)*""",
    re.VERBOSE,
)


class Note(NamedTuple):
    """What is noted of a test: seconds of the processor, whether a statement failed, digests of its statements, and of
    those among them that are not plain."""

    seconds: float
    has_failures: bool
    statements: frozenset[str]
    special: frozenset[str] = frozenset()


class Recorder:
    """Collects the statements of all connections of this process between `begin` and `end`."""

    def __init__(self) -> None:
        self.statements: set[str] = set()
        self.has_failures = False

    def watch(self, connection: Any, **_: Any) -> None:
        """Note what a connection sends from now on."""
        if self not in connection.execute_wrappers:
            connection.execute_wrappers.append(self)

    def __call__(self, execute: Callable[..., Any], sql: Any, params: Any, many: bool, context: Any) -> Any:
        rows = params if many else [params]
        self.statements.add(f"{form_of(str(sql))} {' '.join(sorted(unusual(rows)))}")
        try:
            return execute(sql, params, many, context)
        except Exception:
            self.has_failures = True
            raise


recorder = Recorder()


@lru_cache(maxsize=20_000)
def form_of(sql: str) -> str:
    """Return a statement without literals, names of savepoints and lengths of lists."""
    listless = _ROWS.sub("(%s)", _LISTS.sub("%s", sql))
    return _LITERALS.sub("?", _SAVEPOINTS.sub("savepoint", listless))


@lru_cache(maxsize=20_000)
def is_plain(statement: str) -> bool:
    """Return whether every database takes a noted statement alike."""
    return _PLAIN.fullmatch(statement) is not None


def unusual(rows: Iterable[Any]) -> set[str]:
    """Return what sets parameters apart from short texts and small numbers."""
    kinds: set[str] = set()
    for row in rows:
        for value in (row.values() if isinstance(row, dict) else row) or ():
            kinds |= _unusual(value)
    return kinds


def _unusual(value: Any) -> set[str]:
    if value is None:
        return {"null"}
    if isinstance(value, str):
        kinds = {"NUL": "\0" in value, "wide": not value.isascii(), "long": len(value) > LONG_TEXT}
    elif isinstance(value, int):
        kinds = {"large": abs(value) >= 1 << 31, "larger": abs(value) >= 1 << 63}
    elif isinstance(value, float):
        kinds = {"no number": not math.isfinite(value)}
    else:
        kinds = {type(value).__name__: True}
    return {name for name, applies in kinds.items() if applies}


def pytest_configure(config: pytest.Config) -> None:
    """Watch the connections of a session on SQLite."""
    if "TEST_RUN_DATABASE_URL" not in os.environ:
        connection_created.connect(recorder.watch)
        config.add_cleanup(lambda: connection_created.disconnect(recorder.watch))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """Write a line about a test of the dashboard; what its fixtures send is its own."""
    recorder.statements, recorder.has_failures = set(), False
    begun = time.process_time()
    result = yield
    if item.nodeid.startswith(NOTED) and "TEST_RUN_DATABASE_URL" not in os.environ:
        seconds = round(time.process_time() - begun, 4)
        special = [statement for statement in recorder.statements if not is_plain(statement)]
        note = [item.nodeid, seconds, recorder.has_failures, _digests(recorder.statements), _digests(special)]
        with (_folder() / f"{os.getpid()}.jsonl").open("a") as file:
            file.write(json.dumps(note) + "\n")
    return result


def notes() -> dict[str, Note]:
    """Return what was noted in this session so far, by the ids of the tests."""
    lines = [json.loads(line) for path in _folder().glob("*.jsonl") for line in path.read_text().splitlines()]
    return {
        test: Note(seconds, has_failures, frozenset(statements), frozenset(special))
        for test, seconds, has_failures, statements, special in lines
    }


def _digests(statements: Iterable[str]) -> list[str]:
    return sorted(hashlib.blake2b(one.encode(), digest_size=8).hexdigest() for one in statements)


def _folder() -> Path:
    folder = Path(os.environ[FOLDER]) / "statements"
    folder.mkdir(exist_ok=True)
    return folder

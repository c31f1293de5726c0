"""A plugin of pytest that leaves out tests of the dashboard which say nothing new about a database.

From the notes of tests/statements.py, made while the same tests ran on SQLite in this session, it takes the cheapest
tests that send each statement twice, or, where long tests are left out, each that is not plain once. Always taken are
tests without a note, such as all of them where this runs alone; those in which a statement failed; and what is about
several connections at once, which SQLite has no locks for.
"""

from __future__ import annotations

import heapq
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from django.db import connection

from tests.statements import Note, notes

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from pytest_django import DjangoDbBlocker

FIXTURES = {"db", "transactional_db"}
TESTS = Path(__file__).parents[1] / "dashboard"
# Seconds that a test takes besides its own: its turn, and the rows of its people.
OVERHEAD = 0.03
AT_ONCE = {
    "clusters/drafts/test_saving.py",
    "clusters/drafts/test_three_people.py",
    "clusters/drafts/test_writers_at_once.py",
    "query/test_rows.py",
}
"""Files that run whole: several people at once, and generated queries, whose texts, patterns and nulls PostgreSQL
compares by rules of its own."""
OF_WORKERS = {"runs/branches/test_settling.py", "runs/test_committing.py", "runs/test_execution_claims.py"}
"""Files about workers that take each other's place, and the locks between them: in short the cheapest tests that send
each of their statements, else whole."""
ON_SQLITE_ALONE = {"test_row_snapshots.py"}


@pytest.fixture(scope="session", autouse=True)
def alone_at_the_end(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[None]:
    """End connections that threads of this process still hold: PostgreSQL drops no database that somebody has open.

    Which test comes last, and may leave one, depends on the choice.
    """
    yield
    with django_db_blocker.unblock(), connection.cursor() as cursor:
        cursor.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
            "WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Keep tests that say something about the database."""
    chosen = choice(items, notes(), is_short="not long" in config.option.markexpr)
    config.hook.pytest_deselected(items=[item for item in items if item.nodeid not in chosen])
    items[:] = [item for item in items if item.nodeid in chosen]


def choice(items: list[pytest.Item], noted: Mapping[str, Note], is_short: bool) -> set[str]:
    """Return the ids of the tests to run; in short, plain statements are left out, and others sent once."""
    candidates = {item.nodeid: item for item in items if opens_database(item) and file_of(item) not in ON_SQLITE_ALONE}
    whole = AT_ONCE if is_short else AT_ONCE | OF_WORKERS
    always = {test for test, item in candidates.items() if is_needed(item, noted.get(test), whole)}
    others = {test: noted[test] for test in candidates.keys() - always}
    if is_short:
        special = {test: note._replace(statements=note.special) for test, note in others.items()}
        of_workers = {test: note for test, note in others.items() if file_of(candidates[test]) in OF_WORKERS}
        return always | cover(special, 1) | cover(of_workers, 1)
    # Of the tests that send the same statement two run: what they find differs.
    return always | cover(others, 2)


def files_to_repeat(
    paths: Sequence[Path], items: Iterable[pytest.Item], noted: Mapping[str, Note], is_short: bool
) -> list[Path]:
    """Return the files below the paths that have a test to run; the paths where the session has none of their tests.

    To read all files takes a process longer than most of what it repeats.
    """
    there = [item for item in items if any(item.path.is_relative_to(path) for path in paths)]
    chosen = choice(there, noted, is_short)
    return sorted({item.path for item in there if item.nodeid in chosen}) if there else list(paths)


def is_needed(item: pytest.Item, note: Note | None, whole: set[str]) -> bool:
    """Return whether the test runs, whatever others send; `whole` are the files all of whose tests do."""
    return note is None or note.has_failures or file_of(item) in whole


def cover(tests: Mapping[str, Note], times: int) -> set[str]:
    """Return cheap tests that together send each statement so many times, or as often as all do.

    Takes the test with the most statements for its time, again and again. A test's worth only falls, so one that is
    still worth as much as it was when it was queued is the best: queue of (-worth, test).
    """
    sent = Counter(statement for note in tests.values() for statement in note.statements)
    missing = {statement: min(times, count) for statement, count in sent.items()}

    def worth(test: str) -> float:
        gain = sum(missing[statement] > 0 for statement in tests[test].statements)
        return gain / (tests[test].seconds + OVERHEAD)

    chosen: set[str] = set()
    queue = [(-worth(test), test) for test in tests]
    heapq.heapify(queue)
    while queue:
        queued, test = heapq.heappop(queue)
        if now := worth(test):
            if now < -queued:
                heapq.heappush(queue, (-now, test))
                continue
            chosen.add(test)
            for statement in tests[test].statements:
                missing[statement] -= 1
    return chosen


def opens_database(item: pytest.Item) -> bool:
    return item.get_closest_marker("django_db") is not None or bool(FIXTURES & set(getattr(item, "fixturenames", ())))


def file_of(item: pytest.Item) -> str:
    return item.path.relative_to(TESTS).as_posix()

"""The dashboard's own tests that need a database once more, on PostgreSQL: what SQLite lets pass, it may refuse."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from types import SimpleNamespace

import pytest

from tests.services.only_with_database import (
    AT_ONCE,
    OF_WORKERS,
    ON_SQLITE_ALONE,
    TESTS,
    choice,
    cover,
    files_to_repeat,
    is_needed,
)
from tests.statements import Note, notes

OTHERS = sorted(
    path
    for path in TESTS.iterdir()
    if path.name != "runs" and (path.match("test_*.py") or any(path.glob("**/test_*.py")))
)
PARTS = {"all but runs": OTHERS, "runs": [TESTS / "runs"]}
"""What one process repeats with a database of its own; both take about as long."""


def test_the_files_that_run_whole_are_there():
    for path in AT_ONCE | OF_WORKERS | ON_SQLITE_ALONE:
        assert (TESTS / path).exists(), path


def test_the_cheapest_tests_that_send_each_statement_twice_are_chosen():
    tests = {
        "all, slow": Note(9.0, False, frozenset("abc")),
        "a": Note(0.1, False, frozenset("a")),
        "ab": Note(0.1, False, frozenset("ab")),
        "b": Note(5.0, False, frozenset("b")),
        "nothing": Note(0.0, False, frozenset()),
    }
    assert cover(tests, 1) == {"ab", "all, slow"}, "only the slow one sends c"
    del tests["all, slow"]
    assert cover(tests, 1) == {"ab"}
    assert cover(tests, 2) == {"a", "ab", "b"}
    assert cover({}, 2) == set()


def test_the_short_repetition_leaves_plain_statements_out():
    items = [
        SimpleNamespace(nodeid=name, path=TESTS / "home/test_views.py", get_closest_marker=lambda mark: mark)
        for name in ("plain", "special", "without a note")
    ]
    noted = {
        "plain": Note(0.1, False, frozenset("a")),
        "special": Note(0.1, False, frozenset("ab"), special=frozenset("b")),
    }
    assert choice(items, noted, is_short=False) == {"plain", "special", "without a note"}
    assert choice(items, noted, is_short=True) == {"special", "without a note"}


def test_files_without_a_test_to_repeat_are_not_even_read():
    here = TESTS / "home/test_views.py", TESTS / "runs/test_sessions.py"
    items = [SimpleNamespace(nodeid=str(path), path=path, get_closest_marker=lambda mark: mark) for path in here]
    noted = {str(here[0]): Note(0.1, False, frozenset("a"))}
    assert files_to_repeat([TESTS / "home", TESTS / "runs"], items, noted, is_short=True) == [here[1]]
    assert files_to_repeat([TESTS / "home"], items, noted, is_short=True) == []
    assert files_to_repeat([TESTS / "search"], items, noted, is_short=True) == [TESTS / "search"]


def test_tests_without_a_note_and_with_failures_run_always():
    item = SimpleNamespace(path=TESTS / "home/test_views.py")
    assert is_needed(item, None, set())
    assert is_needed(item, Note(0.1, True, frozenset("a")), set())
    assert not is_needed(item, Note(0.1, False, frozenset("a")), set())
    assert is_needed(item, Note(0.1, False, frozenset("a")), {"home/test_views.py"})


def test_of_the_files_about_workers_each_statement_is_sent():
    path = TESTS / min(OF_WORKERS)
    items = [SimpleNamespace(nodeid=name, path=path, get_closest_marker=lambda mark: mark) for name in "ab"]
    noted = {"a": Note(0.1, False, frozenset("x")), "b": Note(5.0, False, frozenset("x"))}
    assert choice(items, noted, is_short=True) == {"a"}
    assert choice(items, noted, is_short=False) == {"a", "b"}


@pytest.mark.slow
@pytest.mark.essential
@pytest.mark.timeout(1900)
@pytest.mark.parametrize("part", PARTS)
def test_the_dashboard_keeps_its_promises_on_postgresql(request, pytestconfig, migrated_postgres_url, part):
    is_short = "not long" in pytestconfig.option.markexpr
    paths = files_to_repeat(PARTS[part], request.session.items, notes(), is_short)
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST_", "SCHEDSCOPE_"))}
    options = [
        "-n0",
        "-q",
        "-p",
        "no:cacheprovider",
        "-p",
        "tests.statements",
        "-p",
        "tests.services.only_with_database",
        "--migrations",
        *(["-m", "not long"] if is_short else []),
    ]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *paths, *options],
        env=environment | {"TEST_RUN_DATABASE_URL": migrated_postgres_url},
        capture_output=True,
        text=True,
        timeout=1800,
    )
    assert done.returncode == 0, done.stdout[-8000:] + done.stderr[-2000:]
    assert int(re.search(r"(\d+) passed", done.stdout).group(1)) > 0

"""The dashboard's own tests that need a database once more, on PostgreSQL: what SQLite lets pass, it may refuse."""

from __future__ import annotations

import os
import re
import subprocess
import sys

import pytest

from tests.services.only_with_database import LEFT_OUT, SLOW_TOO, TESTS

# A process and a database take longer than the tests of most folders.
LARGE = ("clusters", "runs")
PARTS = {name: [TESTS / name] for name in LARGE}
PARTS["all others"] = sorted(
    path
    for path in TESTS.iterdir()
    if path.name not in LARGE and (path.match("test_*.py") or any(path.glob("**/test_*.py")))
)


def test_what_is_left_out_is_there():
    for place in LEFT_OUT:
        path, _, name = place.partition("::")
        assert (TESTS / path).exists(), place
        assert not name or f"def {name}(" in (TESTS / path).read_text(), place
    for path in SLOW_TOO:
        assert "slow" in (TESTS / path).read_text(), path


@pytest.mark.slow
@pytest.mark.timeout(1900)
@pytest.mark.parametrize("part", PARTS)
def test_the_dashboard_keeps_its_promises_on_postgresql(migrated_postgres_url, part):
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST_", "SCHEDSCOPE_"))}
    options = [
        "-n0",
        "-q",
        "-p",
        "no:cacheprovider",
        "-p",
        "tests.services.only_with_database",
        "--migrations",
    ]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *PARTS[part], *options],
        env=environment | {"TEST_RUN_DATABASE_URL": migrated_postgres_url},
        capture_output=True,
        text=True,
        timeout=1800,
    )
    assert done.returncode == 0, done.stdout[-8000:] + done.stderr[-2000:]
    assert int(re.search(r"(\d+) passed", done.stdout).group(1)) > 0

"""The dashboard's own tests that need a database once more, on PostgreSQL: what SQLite lets pass, it may refuse."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1] / "dashboard"
PARTS = {path.name: [path] for path in sorted(TESTS.iterdir()) if any(path.glob("**/test_*.py"))}
PARTS["beside them"] = sorted(TESTS.glob("test_*.py"))


@pytest.mark.slow
@pytest.mark.parametrize("part", PARTS)
def test_the_dashboard_keeps_its_promises_on_postgresql(migrated_postgres_url, part):
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST_", "SCHEDSCOPE_"))}
    words = ["-n0", "-q", "-p", "no:cacheprovider", "-p", "tests.services.only_with_database", "-m", "not slow"]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *PARTS[part], *words],
        env=kept | {"TEST_RUN_DATABASE_URL": migrated_postgres_url},
        capture_output=True,
        text=True,
        timeout=1800,
    )
    assert done.returncode == 0, done.stdout[-8000:] + done.stderr[-2000:]
    assert int(re.search(r"(\d+) passed", done.stdout).group(1)) > 0

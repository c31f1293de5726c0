"""Stops of live runs once more on PostgreSQL: attachments, counts, head and stop are one transaction there, too."""

from __future__ import annotations

import os
import re
import subprocess
import sys

import pytest

from tests.services.only_with_database import TESTS

pytestmark = [pytest.mark.slow, pytest.mark.services]


def test_runs_stop_at_the_hits_of_random_queries_on_postgresql(migrated_postgres_url):
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST_", "SCHEDSCOPE_"))}
    paths = [TESTS / "runs" / "breakpoints" / "test_exact_stops.py", TESTS / "runs" / "test_committing.py"]
    words = ["-n0", "-q", "-p", "no:cacheprovider", "--migrations", "-k", "not random or 2"]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *paths, *words],
        env=kept | {"TEST_RUN_DATABASE_URL": migrated_postgres_url},
        capture_output=True,
        text=True,
        timeout=1800,
    )
    assert done.returncode == 0, done.stdout[-8000:] + done.stderr[-2000:]
    assert int(re.search(r"(\d+) passed", done.stdout).group(1)) > 25

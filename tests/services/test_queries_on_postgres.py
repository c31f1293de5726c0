"""Generated queries once more on PostgreSQL: its texts, patterns and nulls compare by rules of their own."""

from __future__ import annotations

import os
import re
import subprocess
import sys

import pytest

from tests.services.only_with_database import TESTS

pytestmark = [pytest.mark.slow, pytest.mark.services]


def test_rows_answer_generated_queries_as_chunks_do_on_postgresql(migrated_postgres_url):
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST_", "SCHEDSCOPE_"))}
    path = TESTS / "query" / "test_rows.py"
    done = subprocess.run(
        [sys.executable, "-m", "pytest", path, "-n0", "-q", "-p", "no:cacheprovider", "--migrations"],
        env=kept | {"TEST_RUN_DATABASE_URL": migrated_postgres_url},
        capture_output=True,
        text=True,
        timeout=1800,
    )
    assert done.returncode == 0, done.stdout[-8000:] + done.stderr[-2000:]
    assert int(re.search(r"(\d+) passed", done.stdout).group(1)) > 20

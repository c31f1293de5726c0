"""Drafts on PostgreSQL, slow tests included: three people at random, in threads at once, and operations that hold the
draft's row."""

from __future__ import annotations

import os
import re
import subprocess
import sys

import pytest

DRAFTS = "tests/dashboard/clusters/drafts"
FILES = [f"{DRAFTS}/test_{name}.py" for name in ("operations", "saving", "three_people", "writers_at_once")]


@pytest.mark.slow
def test_drafts_keep_their_promises_on_postgresql(migrated_postgres_url):
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST_", "SCHEDSCOPE_"))}
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *FILES, "-n0", "-q", "-p", "no:cacheprovider", "--migrations"],
        env=kept | {"TEST_RUN_DATABASE_URL": migrated_postgres_url},
        capture_output=True,
        text=True,
        timeout=1800,
    )
    assert done.returncode == 0, done.stdout[-8000:] + done.stderr[-2000:]
    assert int(re.search(r"(\d+) passed", done.stdout).group(1)) > len(FILES)

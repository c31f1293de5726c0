"""The dashboard's own tests once more, on PostgreSQL: what SQLite lets pass, it may refuse."""

from __future__ import annotations

import os
import re
import subprocess
import sys

import pytest


@pytest.mark.slow
def test_the_dashboard_keeps_its_promises_on_postgresql(postgres_url):
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST_", "SCHEDSCOPE_"))}
    words = ["-m", "pytest", "tests/dashboard", "-n0", "-q", "-p", "no:cacheprovider", "-m", "not slow"]
    done = subprocess.run(
        [sys.executable, *words],
        env=kept | {"TEST_RUN_DATABASE_URL": postgres_url},
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode == 0, done.stdout[-8000:] + done.stderr[-2000:]
    assert int(re.search(r"(\d+) passed", done.stdout).group(1)) > 5

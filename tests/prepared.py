"""What takes long to prepare: made once for all processes of a test session, by the one that needs it first."""

from __future__ import annotations

import atexit
import fcntl
import os
import shutil
import tempfile
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    import pytest

# The session's folder; processes that it starts find it here.
FOLDER = "TEST_PREPARED"


def prepared(name: str, make: Callable[[Path], str]) -> tuple[Path, str]:
    """Return a folder that `make` filled, and what it returned. Who asks meanwhile waits."""
    place = _session_folder() / name
    returned = place.with_suffix(".returned")
    with place.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not returned.exists():
            # What a process left that was killed while it made it.
            shutil.rmtree(place, ignore_errors=True)
            place.mkdir()
            text = make(place)
            returned.write_text(text)
    return place, returned.read_text()


@cache
def _session_folder() -> Path:
    """Return the session's folder; outside of one, this process has one of its own."""
    if named := os.environ.get(FOLDER):
        return Path(named)
    folder = tempfile.mkdtemp(prefix="prepared-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return Path(folder)


def pytest_configure(config: pytest.Config) -> None:
    """Make the session's folder before its processes start, and remove it behind them."""
    if FOLDER in os.environ:
        return
    os.environ[FOLDER] = folder = tempfile.mkdtemp(prefix="prepared-")

    def remove() -> None:
        del os.environ[FOLDER]
        shutil.rmtree(folder, ignore_errors=True)

    config.add_cleanup(remove)

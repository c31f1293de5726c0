"""What every test gets: tests that need one server share one process, and CI may not skip for want of it."""

from __future__ import annotations

import pytest

SHARED_FOLDERS = ("services", "browser")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark tests by folder, and keep each shared folder in one xdist worker so that its servers start once."""
    for item in items:
        folder = item.path.parent.name
        if folder in SHARED_FOLDERS:
            item.add_marker(getattr(pytest.mark, folder))
            item.add_marker(pytest.mark.xdist_group(folder))

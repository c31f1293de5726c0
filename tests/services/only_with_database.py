"""A plugin of pytest that leaves out tests which open no database: they cannot fail on another one."""

from __future__ import annotations

import pytest

FIXTURES = {"db", "transactional_db"}


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Keep tests that have the mark, or a fixture that opens the database."""
    left_out = [item for item in items if not opens_database(item)]
    items[:] = [item for item in items if opens_database(item)]
    config.hook.pytest_deselected(items=left_out)


def opens_database(item: pytest.Item) -> bool:
    return item.get_closest_marker("django_db") is not None or bool(FIXTURES & set(getattr(item, "fixturenames", ())))

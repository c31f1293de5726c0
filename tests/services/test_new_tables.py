"""A new PostgreSQL database has the tables that the migrations make."""

from __future__ import annotations

import pytest

from tests.dashboard.common.database.test_preparing import made_by_models_and_by_migrations
from tests.faults.processes import NO_REDIS
from tests.services.servers import production_environment

# A table of Django's that stays empty here. Its migration numbers the rows in 64 bits, as the project's models do by
# default, its model in 32.
NUMBERED = "auth_group_permissions"


@pytest.mark.long
def test_a_new_database_has_the_tables_of_the_migrations(postgres_url, other_postgres_url, tmp_path):
    (schema, rows), (expected, expected_rows) = made_by_models_and_by_migrations(
        *(production_environment(address, NO_REDIS, tmp_path) for address in (postgres_url, other_postgres_url))
    )
    assert len(expected["indexes"]) > 100
    for part, definitions in expected.items():
        differing = sorted(line for line in set(schema[part]) ^ set(definitions) if NUMBERED not in line)
        assert (part, differing) == (part, [])
    assert rows == expected_rows

"""The command that brings a database to its last migration."""

from __future__ import annotations

import pytest

from tests.faults.processes import embedded_environment, manage

pytestmark = pytest.mark.slow

SCRIPT = """
from django.core.management import call_command
from django.db import connection

for options in ({"plan": True}, {"check_unapplied": True}):
    try:
        call_command("migrate", verbosity=0, **options)
    except SystemExit:
        pass
    # Django makes the table of its notes to read them.
    print(sorted(set(connection.introspection.table_names()) - {"django_migrations"}))
call_command("migrate", "auth", "0001", verbosity=0)
print(len(connection.introspection.table_names()))
"""


def test_what_is_asked_about_a_new_database_makes_no_tables(tmp_path):
    printed = manage(embedded_environment(tmp_path), "shell", "--no-imports", "-c", SCRIPT)
    none, nothing, few = printed.splitlines()[-3:]
    assert (none, nothing) == ("[]", "[]")
    assert int(few) < 10

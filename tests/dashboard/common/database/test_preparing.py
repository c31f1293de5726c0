"""What is done to the database at a start, and what a failure of it says to the supervisor."""

from __future__ import annotations

import json
import sqlite3
from io import StringIO

import pytest
from django.core.management import CommandError
from django.db import DatabaseError, OperationalError, ProgrammingError

from dashboard.common.database import preparing
from dashboard.common.database.preparing import prepare
from dashboard.common.processes.child import REFUSED
from tests.faults.processes import embedded_environment, manage


@pytest.fixture(autouse=True)
def _no_connection_is_closed(monkeypatch):
    """The tests' own has a transaction."""
    monkeypatch.setattr(preparing.connections, "close_all", lambda: None)


def failed(monkeypatch, error):
    """Return (exit status, lines of errors) where the migrations raise the error."""

    def fail(*_words, **_options):
        raise error

    monkeypatch.setattr(preparing, "call_command", fail)
    errors = StringIO()
    status = prepare(StringIO(), errors, with_demo=True)
    return status, errors.getvalue().splitlines()


@pytest.mark.parametrize(("with_demo", "commands"), [(True, ["migrate", "load_demo"]), (False, ["migrate"])])
def test_it_migrates_and_loads_the_demo(monkeypatch, with_demo, commands):
    names = []
    monkeypatch.setattr(preparing, "call_command", lambda name, **_options: names.append(name))
    assert prepare(StringIO(), StringIO(), with_demo=with_demo) == 0
    assert names == commands


def damaged():
    error, cause = DatabaseError("database disk image is malformed"), sqlite3.DatabaseError("it is malformed")
    cause.sqlite_errorcode = sqlite3.SQLITE_CORRUPT
    error.__cause__ = cause
    return error


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (OperationalError("database or disk is full"), REFUSED),
        (OperationalError("connection refused\nis it running?"), REFUSED),
        (OperationalError("database is locked"), 1),
        (damaged(), REFUSED),
        (CommandError("the demo cannot be loaded: no space"), REFUSED),
    ],
    ids=["no space", "no server", "somebody writes", "a damaged file", "no demo"],
)
def test_what_a_person_has_to_mend_is_one_line(monkeypatch, error, status):
    code, lines = failed(monkeypatch, error)
    assert (code, len(lines)) == (status, 1)


def test_an_error_of_the_program_keeps_its_traceback(monkeypatch):
    with pytest.raises(ProgrammingError):
        failed(monkeypatch, ProgrammingError("no such column"))


pytestmark = pytest.mark.slow

# Columns and parts of tables as a set: their order follows from when each came.
SCHEMA = """
import json
from django.db import connection

def parts(body):
    found, depth, part = [], 0, ""
    for letter in body:
        if letter == "," and not depth:
            found.append(part.strip())
            part = ""
            continue
        depth += (letter == "(") - (letter == ")")
        part += letter
    return sorted([*found, part.strip()])

def sqlite(cursor):
    space = cursor.execute("PRAGMA auto_vacuum").fetchone()[0]
    rows = cursor.execute("SELECT type, name, sql FROM sqlite_master WHERE sql IS NOT NULL").fetchall()
    return {"how free space is given back": space} | {
        f"{sort} {name}": parts(sql[sql.index("(") + 1 : sql.rindex(")")]) if sort == "table" else sql
        for sort, name, sql in rows if not name.startswith("sqlite_")
    }

def postgresql(cursor):
    asked = {
        "columns": "SELECT table_name, column_name, data_type, character_maximum_length, is_nullable, column_default, "
            "is_identity, identity_generation FROM information_schema.columns WHERE table_schema = 'public'",
        # Names that the server gave keep the name that a column had before.
        "constraints": "SELECT conrelid::regclass::text, CASE WHEN conname ~ '_(not_null|check)$' THEN '' ELSE conname "
            "END, pg_get_constraintdef(oid) FROM pg_constraint WHERE connamespace = 'public'::regnamespace",
        "indexes": "SELECT indexname, indexdef FROM pg_indexes WHERE schemaname = 'public'",
        "sequences": "SELECT sequencename, data_type::text FROM pg_sequences WHERE schemaname = 'public'",
    }
    found = {}
    for name, query in asked.items():
        cursor.execute(query)
        found[name] = sorted(map(str, cursor.fetchall()))
    return found

with connection.cursor() as cursor:
    schema = {"sqlite": sqlite, "postgresql": postgresql}[connection.vendor](cursor)
    rows = {}
    for name, columns in (("django_migrations", "app, name"), ("auth_permission", "codename"),
                          ("django_content_type", "app_label, model")):
        cursor.execute(f"SELECT {columns} FROM {name}")
        rows[name] = sorted(map(list, cursor.fetchall()))
print(json.dumps([schema, rows]))
"""


def schema_of(environment):
    """Return ({part of the schema: how it is defined}, {table: rows that Django keeps there})."""
    schema, rows = json.loads(manage(environment, "shell", "--no-imports", "-c", SCHEMA).splitlines()[-1])
    return schema, rows


def made_by_models_and_by_migrations(one, other):
    """Return what schema_of says of two new databases, the second made by each migration."""
    assert "The database is new: made its" in manage(one, "migrate")
    # An app that is named is migrated as ever, and what has tables is no new database.
    assert "Applying contenttypes.0001_initial" in manage(other, "migrate", "contenttypes")
    assert "Applying runs.0001" in manage(other, "migrate")
    return schema_of(one), schema_of(other)


@pytest.mark.long
def test_a_new_database_has_the_tables_of_the_migrations(tmp_path):
    (schema, rows), (expected, expected_rows) = made_by_models_and_by_migrations(
        *(embedded_environment(tmp_path / name) for name in ("one", "other"))
    )
    assert len([name for name in expected if name.startswith("table ")]) > 70
    assert schema == expected
    assert rows == expected_rows


@pytest.mark.long
def test_what_goes_wrong_half_way_leaves_no_table(tmp_path):
    environment = embedded_environment(tmp_path)
    script = """
from unittest import mock
from django.core.management import call_command
from django.db import connection
from django.db.backends.sqlite3.schema import DatabaseSchemaEditor

make, seen = DatabaseSchemaEditor.create_model, []
def fails(self, model):
    seen.append(model)
    if len(seen) == 20:
        raise OSError("no space")
    make(self, model)

with mock.patch.object(DatabaseSchemaEditor, "create_model", fails):
    try:
        call_command("migrate", verbosity=0)
    except OSError:
        print(connection.introspection.table_names())
"""
    assert manage(environment, "shell", "--no-imports", "-c", script).splitlines()[-1] == "[]"
    assert "The database is new" in manage(environment, "migrate")

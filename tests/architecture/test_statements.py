"""Which statements are one, and what is noted of them."""

from __future__ import annotations

import pytest
from django.db import DatabaseError, connection

from tests.statements import Recorder, form_of, is_plain, notes, recorder, unusual


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ('SELECT "a" FROM "t" WHERE "id" IN (%s)', 'SELECT "a" FROM "t" WHERE "id" IN (%s, %s, %s)'),
        ("INSERT INTO t VALUES (%s, %s)", "INSERT INTO t VALUES (%s, %s), (%s, %s), (%s, %s)"),
        ('SAVEPOINT "s140_x2"', 'SAVEPOINT "s9_x11"'),
        ("SELECT 1 AS a FROM t LIMIT 21", "SELECT 1 AS a FROM t LIMIT 3"),
        ("SELECT a FROM t WHERE b = 'x'", "SELECT a FROM t WHERE b = 'y z'"),
    ],
)
def test_literals_and_lengths_make_no_other_statement(one, other):
    assert form_of(one) == form_of(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ('SELECT "a" FROM "t"', 'SELECT "b" FROM "t"'),
        ("SELECT a FROM t1", "SELECT a FROM t2"),
        ("SELECT a FROM t LIMIT 1", "SELECT a FROM t"),
        ("SELECT a FROM t ORDER BY a ASC", "SELECT a FROM t ORDER BY a DESC"),
    ],
)
def test_other_names_and_clauses_do(one, other):
    assert form_of(one) != form_of(other)


def test_what_postgresql_may_refuse_is_unusual():
    assert unusual([("a", 1, True, 0.5)]) == set()
    assert unusual([None, (), {}]) == set()
    assert unusual([("a", None), ("é" * 300,), {"x": "\0"}]) == {"null", "wide", "long", "NUL"}
    assert unusual([(1 << 31, -(1 << 63), float("nan"), b"x")]) == {"large", "larger", "no number", "bytes"}


@pytest.mark.parametrize(
    "statement",
    [
        'UPDATE "t" SET "a" = %s, "b" = NULL WHERE "t"."id" IN (%s) null',
        'SELECT "t"."a" AS "col1" FROM "t" LEFT OUTER JOIN "u" ON ("t"."id" = "u"."t_id") '
        'WHERE ("t"."a" >= %s AND NOT ("u"."b" IS NULL)) ORDER BY "t"."a" DESC LIMIT ? ',
        'INSERT INTO "t" ("a", "b") VALUES (%s) RETURNING "t"."id" ',
        'DELETE FROM "t"; ',
    ],
)
def test_what_every_database_takes_alike_is_plain(statement):
    assert is_plain(statement)


@pytest.mark.parametrize(
    "statement",
    [
        'UPDATE "t" SET "a" = %s NUL',
        'UPDATE "t" SET "a" = ("t"."a" + %s) ',
        'SELECT COUNT(*) AS "__count" FROM "t" ',
        'SELECT DISTINCT "t"."a" FROM "t" ',
        'SELECT "t"."a" FROM "t" WHERE instr(lower("t"."a"), %s) > ? ',
        'SELECT "t"."a" FROM "t" WHERE EXISTS(SELECT ? AS "a" FROM "u" U0) ',
        'SELECT "t"."a" FROM "t" ORDER BY "t"."a" ASC NULLS FIRST ',
        'INSERT INTO "t" ("a") VALUES (%s) ON CONFLICT DO NOTHING ',
        'CREATE INDEX "i" ON "t" ("a") ',
        "BEGIN ",
    ],
)
def test_what_databases_may_take_differently_is_not(statement):
    assert not is_plain(statement)


@pytest.mark.django_db
def test_statements_of_a_connection_and_their_failure_are_noted(request):
    notebook = Recorder()
    with connection.execute_wrapper(notebook), connection.cursor() as cursor:
        cursor.execute("SELECT 41 + %s", [None])
        assert notebook.statements == {"SELECT ? + %s null"}
        assert not notebook.has_failures
        with pytest.raises(DatabaseError):
            cursor.execute("SELECT no_column")
    assert notebook.has_failures
    assert "SELECT ? + %s null" in recorder.statements, "each connection of the session is watched"
    assert request.node.nodeid not in notes(), "it is no test of the dashboard"

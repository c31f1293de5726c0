"""Values as they are written."""

from __future__ import annotations

import pytest

from scheduler_core.query.expressions import QueryError
from scheduler_core.query.fields import FIELDS_OF, QuerySubject
from scheduler_core.query.values import closest, parse_value, unquoted

CYCLE = FIELDS_OF[QuerySubject.CYCLE]


def test_a_backslash_in_quotes_takes_the_next_character_as_it_is():
    assert unquoted('"a \\"b\\" \\\\ c"') == 'a "b" \\ c'
    assert unquoted("a\\b") == "a\\b"


@pytest.mark.parametrize(
    ("written", "microseconds"), [("5", 5_000_000), ("0.25s", 250_000), ("7us", 7), ("1h2m3s", 3_723_000_000)]
)
def test_times_have_units_and_are_seconds_without(written, microseconds):
    assert parse_value(CYCLE["at"], ">", written, 1) == microseconds


def test_a_name_of_a_pod_without_namespace_is_one_in_any():
    assert parse_value(CYCLE["pod"], "=", "web-*", 1) == "*/web-*"
    assert parse_value(CYCLE["pod"], "~", "web", 1) == "web"


def test_too_many_stars_are_refused():
    assert parse_value(CYCLE["node"], "=", "*a" * 8, 1) == "*a" * 8
    with pytest.raises(QueryError, match="8 stars"):
        parse_value(CYCLE["node"], "=", "*a" * 9, 1)


def test_the_closest_name_ignores_capital_letters():
    assert closest("NODERESOURCEFIT", ("NodeName", "NodeResourcesFit")) == "NodeResourcesFit"
    assert closest("qqqq", ("NodeName",)) == ""

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


@pytest.mark.parametrize(("n_stars", "sentence"), [(9, "more than 8 stars in one name")])
def test_words(n_stars, sentence):
    allowed = "*a" * (n_stars - 1)
    assert parse_value(CYCLE["node"], "=", allowed, 1) == allowed
    with pytest.raises(QueryError) as refused:
        parse_value(CYCLE["node"], "=", f"{allowed}*a", 1)
    assert refused.value.message == sentence


def test_the_closest_name_ignores_capital_letters():
    assert closest("NODERESOURCEFIT", ("NodeName", "NodeResourcesFit")) == "NodeResourcesFit"
    assert closest("qqqq", ("NodeName",)) == ""

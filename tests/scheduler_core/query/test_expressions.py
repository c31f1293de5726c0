"""A query's tree, and errors as a line."""

from __future__ import annotations

from scheduler_core.query.expressions import QueryError, iter_conditions
from scheduler_core.query.parsing import parse


def test_conditions_come_in_order_of_writing():
    where = parse("not (tie or ties>2) and margin<5").where
    assert [condition.field.name for condition in iter_conditions(where)] == ["tie", "ties", "margin"]


def test_an_error_is_a_line_with_its_column():
    assert QueryError("no", 3).text() == "column 3: no"
    assert QueryError("no", 3, expected=("a", "b")).text() == "column 3: no; expected: a, b"
    assert QueryError("no", 3, expected=("a",), suggestion="c").text().endswith("mean c?")
    assert QueryError("no", 3).end == 4

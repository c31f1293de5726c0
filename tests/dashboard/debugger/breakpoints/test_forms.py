"""The form of a breakpoint: what it takes, and what is wrong at which column."""

from __future__ import annotations

import pytest

from dashboard.debugger.breakpoints.forms import BreakpointForm
from dashboard.runs.breakpoints.definitions import BreakpointFields
from dashboard.runs.models import Breakpoint

GOOD = {"query": " margin<5 ", "name": "Narrow", "hit_count": "3", "is_on": "on"}


def test_what_is_written_is_taken():
    form = BreakpointForm(GOOD)
    assert form.is_valid(), form.errors
    assert form.fields_of(None) == BreakpointFields("Narrow", "margin<5", 3, True)
    assert form.fields_of(Breakpoint(is_enabled=False)) == BreakpointFields("Narrow", "margin<5", 3, False)
    assert form.cleaned_data["is_on"]


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("query", "", "Write a query."),
        ("query", "margin<", "column 8"),
        ("query", "nonsense:1", "column 1: there is no field 'nonsense'"),
        ("query", "a" * 2_001, "at most 2000"),
        ("name", "", "Write a name."),
        ("name", "n" * 81, "at most 80"),
        ("name", "a\0b", ""),
        ("hit_count", "0", "from 1 to 1,000,000"),
        ("hit_count", "ten", "from 1 to 1,000,000"),
    ],
)
def test_what_is_wrong_is_said_at_its_field(field, value, message):
    form = BreakpointForm(GOOD | {field: value})
    assert not form.is_valid()
    assert list(form.errors) == [field]
    assert message in form.errors[field][0]


def test_the_field_is_told_the_column():
    assert BreakpointForm(GOOD).query_error is None
    for text, column in (("margin:abc", 8), ("", 1)):
        assert BreakpointForm(GOOD | {"query": text}).query_error.column == column

"""What a condition says of a value."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scheduler_core.query import matching
from scheduler_core.query.matching import matches_glob, small_letters
from scheduler_core.query.parsing import parse

_LETTERS = st.text("ab.*", max_size=8)


@pytest.mark.slow
@given(_LETTERS, st.text("ab.", max_size=12))
def test_a_star_stands_for_any_part(pattern, text):
    as_expression = ".*".join(re.escape(part) for part in pattern.split("*"))
    assert matches_glob(pattern, text) == (re.fullmatch(as_expression, text) is not None)


def test_a_to_z_are_small_letters_and_nothing_else_changes():
    assert small_letters("ABC xyz") == "abc xyz"
    assert small_letters("ÄBC İ") == "Äbc İ"


@pytest.mark.parametrize(
    ("text", "value", "holds"),
    [
        ("margin<5", 4, True),
        ("margin<5", 5, False),
        ("margin>=5", 5, True),
        ("node:node-*", "node-1", True),
        ("node:node-*", "Node-1", False),
        ("node~NODE", "my-node", True),
        ("outcome:error", "error", True),
        ("message:a.b", "axb", False),
    ],
)
def test_a_condition_compares_by_the_kind_of_its_field(text, value, holds):
    (condition,) = parse(text).conditions()
    assert matching.make_test(condition)(value) is holds

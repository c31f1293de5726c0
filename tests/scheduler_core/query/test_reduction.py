"""What is left of an expression."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scheduler_core.query.expressions import AllOf, AnyOf, Condition, Not
from scheduler_core.query.field_values import predicate
from scheduler_core.query.fields import QuerySubject
from scheduler_core.query.matching import ORDER
from scheduler_core.query.parsing import parse
from scheduler_core.query.reduction import by_range, reduced

NAMES = ("tie", "preempting", "margin", "ties")
CONDITIONS = tuple(next(parse(text).conditions()) for text in ("tie", "preempting", "margin>5", "ties>2"))
EXPRESSIONS = st.recursive(
    st.sampled_from(CONDITIONS),
    lambda parts: st.one_of(
        parts.map(Not),
        st.lists(parts, min_size=2, max_size=3).map(lambda several: AllOf(tuple(several))),
        st.lists(parts, min_size=2, max_size=3).map(lambda several: AnyOf(tuple(several))),
    ),
    max_leaves=8,
)


def truth(expression, values):
    if isinstance(expression, bool):
        return expression
    if isinstance(expression, Condition):
        return values[expression.field.name]
    if isinstance(expression, Not):
        return not truth(expression.part, values)
    return (all if isinstance(expression, AllOf) else any)(truth(part, values) for part in expression.parts)


@pytest.mark.slow
@given(EXPRESSIONS, st.fixed_dictionaries({name: st.sampled_from([True, False, None]) for name in NAMES}))
def test_what_is_left_says_the_same_whatever_the_open_conditions_are(expression, settled):
    left = reduced(expression, lambda condition: settled[condition.field.name])
    unsettled = [name for name in NAMES if settled[name] is None]
    for answers in product([True, False], repeat=len(unsettled)):
        values = {**settled, **dict(zip(unsettled, answers, strict=True))}
        assert truth(left, values) is truth(expression, values)


@pytest.mark.parametrize("operator", ["=", "<", "<=", ">", ">="])
def test_a_range_settles_what_is_the_same_for_all_of_its_numbers(operator):
    for low, high, number in product(range(4), range(4), range(4)):
        if low <= high:
            (condition,) = parse(f"cycle{operator}{number}").conditions()
            answers = {ORDER[operator](one, number) for one in range(low, high + 1)}
            assert by_range(condition, low, high) is (answers.pop() if len(answers) == 1 else None)


def test_nothing_asked_for_holds_of_everything():
    assert predicate(None, QuerySubject.CYCLE)(object())

"""A label's values by row, whether they came at once or one by one."""

from __future__ import annotations

from random import Random

from scheduler_core.columns.label_column import LabelColumn

VALUES = ["a", "b", "c", None]


def values_of_rows(column: LabelColumn) -> list[str | None]:
    return [None if number < 0 else column.values[number] for number in column.ids.tolist()]


def test_values_come_back_whatever_the_order_in_which_they_are_put() -> None:
    random, column, expected = Random(1), LabelColumn(20), [None] * 20
    for _ in range(200):
        row, value = random.randrange(20), random.choice(VALUES)
        column.put(row, value)
        expected[row] = value
        assert values_of_rows(column) == expected
    assert sorted(column.values) == ["a", "b", "c"]


def test_many_rows_filled_at_once_are_those_put_one_by_one() -> None:
    one, many = LabelColumn(6), LabelColumn(6)
    values = ["b", None, "a", "b"]
    for row, value in zip([5, 0, 3, 1], values, strict=True):
        one.put(row, value)
    many.fill([5, 0, 3, 1], values)
    assert values_of_rows(one) == values_of_rows(many) == [None, "b", None, "a", None, "b"]
    assert many.index == {"b": 0, "a": 1}

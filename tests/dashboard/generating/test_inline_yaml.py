"""A value on one line is read as itself, and a name is text whatever it looks like."""

from __future__ import annotations

import pytest

from dashboard.generating.inline_yaml import inline, value_in


@pytest.mark.parametrize("value", ["web", "yes", "1e3", "a: b", "", True, 7, 0.5, [1, "2"], {"a": {"b": ["c"]}}, "ü"])
def test_a_value_on_one_line_is_read_as_itself(value: object) -> None:
    text = inline(value)
    assert "\n" not in text
    assert value_in("labels", text) == (value or None if value == "" else value)


def test_names_are_text_whatever_they_look_like() -> None:
    assert value_in("name", "yes") == "yes"
    assert value_in("nodes", "{") == "{"

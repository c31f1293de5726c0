"""Values as YAML, on lines and on one line, read back as they were."""

from __future__ import annotations

import pytest

from dashboard.clusters.texts.changes import is_same, value_of
from dashboard.clusters.texts.lines import block_text, entry_text, flow_text, item_text, key_text

VALUES = [
    "a",
    "yes",
    "5",
    "",
    "a: b",
    "# no",
    "it's",
    'say "x"',
    "two\nlines",
    "é",
    "[x",
    "a, b",
    "- x",
    None,
    True,
    7,
    1.5,
]


@pytest.mark.parametrize("value", [*VALUES, [], {}, ["a", ["on", {"k": "5"}]], {"a.b/c": "x", "on": [1, "1"]}])
@pytest.mark.parametrize("quote", [None, "'", '"'])
def test_a_value_on_one_line_is_read_as_it_was(value, quote):
    text = flow_text(value, quote)
    assert "\n" not in text
    assert is_same(value_of(f"a: {text} # c\nb: [{text}]\n"), {"a": value, "b": [value]})


@pytest.mark.parametrize("name", ["a", "a.b/c", "yes", "5", "x y", "é", "a:"])
def test_a_key_is_read_as_it_was(name):
    assert value_of(f"{key_text(name)}: 1\n") == {name: 1}


def test_lines_are_indented():
    assert block_text({"a": ["x"]}, 2) == "  a:\n  - x\n"
    assert entry_text("a", {"b": 1}, 2) == "  a:\n    b: 1\n"
    assert item_text({"a": 1, "b": 2}, 4) == "    - a: 1\n      b: 2\n"

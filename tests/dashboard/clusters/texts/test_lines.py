"""Values as YAML, on lines and on one line, read back as they were."""

from __future__ import annotations

import pytest

from dashboard.clusters.texts.changes import read_document
from dashboard.clusters.texts.lines import ListLayout, flow_text
from dashboard.clusters.texts.writer import is_same

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
    assert is_same(read_document(f"a: {text} # c\nb: [{text}]\n"), {"a": value, "b": [value]})


@pytest.mark.parametrize(
    "value", [*VALUES, [], {}, ["a", [], ["on", {"k": "5", "l": ["b"]}]], {"z": "x", "on": [1, "1"]}]
)
@pytest.mark.parametrize("layout", [ListLayout(), ListLayout(2), ListLayout(4, 4)])
def test_a_value_on_lines_is_read_as_it_was(value, layout):
    text = layout.block({"a": value, "b": [value, value]}, 2)
    assert is_same(read_document(text), {"a": value, "b": [value, value]})
    assert list(read_document(text)["a"] if isinstance(value, dict) else ()) == list(
        value if isinstance(value, dict) else ()
    )


@pytest.mark.parametrize(
    "name", ["a", "a.b/c", "yes", "5", "x y", "é", "a:", "a: b", "? a", "long" * 50, "two\nlines", ""]
)
def test_a_key_is_read_as_it_was(name):
    assert read_document(ListLayout().entry(name, 1, 0)) == {name: 1}
    assert read_document(f"{flow_text(name)}: 1\n") == {name: 1}


def test_lines_are_indented_as_the_layout_says():
    value = {"b": [1, {"c": 2, "d": "x\n\ny\n"}]}
    assert (
        ListLayout().entry("a", value, 2) == "  a:\n    b:\n    - 1\n    - c: 2\n      d: |\n        x\n\n        y\n"
    )
    assert ListLayout(2, 4).entry("a", {"b": [1, {"c": []}]}, 0) == "a:\n  b:\n    -   1\n    -   c: []\n"
    assert ListLayout().item({"a": 1, "b": 2}, 4) == "    - a: 1\n      b: 2\n"

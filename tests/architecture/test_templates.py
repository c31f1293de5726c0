"""What the formatter of the templates leaves to us: short lines, and attributes that a diff shows one by one."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = Path(__file__).parents[2]
TEMPLATES = sorted((ROOT / "templates").rglob("*.html"))
LONGEST_LINE = 120
ATTRIBUTES_ON_A_LINE = 2

_CODE = r"\{%.*?%\}|\{\{.*?\}\}"
_VALUE = rf"""(?:"(?:{_CODE}|[^"])*"|'(?:{_CODE}|[^'])*')"""
_TAG = re.compile(rf"""<[a-z][a-z0-9-]*((?:{_CODE}|{_VALUE}|[^'"<>])*)>""", re.DOTALL)


def _names(attributes: str) -> list[str]:
    """Return the names of a tag's attributes, those that stand under a condition included."""
    bare = re.sub(rf"=\s*(?:{_VALUE}|{_CODE}|[^\s\"'>]+)", "", attributes, flags=re.DOTALL)
    return [name for name in re.sub(_CODE, " ", bare, flags=re.DOTALL).split() if name != "/"]


@pytest.mark.parametrize(
    ("attributes", "names"),
    [
        ("", []),
        (' class="a b" id=x hidden', ["class", "id", "hidden"]),
        (""" href="{% url "a:b" c='d' %}"{% if a > "b" %} aria-current="true"{% endif %}""", ["href", "aria-current"]),
        (""" title='{{ a|default:"x > y" }}' data-x="it's" """, ["title", "data-x"]),
    ],
)
def test_attributes_are_counted_under_conditions_and_around_template_code(attributes, names):
    tag = _TAG.fullmatch(f"<a{attributes}>")
    assert tag is not None
    assert _names(tag[1]) == names


def _findings(find: Callable[[str], list[Any]]) -> dict[str, list[Any]]:
    """Return {template: what is found in it}."""
    assert TEMPLATES
    lines_of = {path.relative_to(ROOT).as_posix(): find(path.read_text()) for path in TEMPLATES}
    return {name: one for name, one in lines_of.items() if one}


def test_a_tag_with_more_than_two_attributes_has_one_a_line():
    def crowded(text: str) -> list[str]:
        tags = [tag[0] for tag in _TAG.finditer(text) if len(_names(tag[1])) > ATTRIBUTES_ON_A_LINE]
        return [tag for tag in tags if not re.match(r"<[a-z0-9-]+\n", tag)]

    assert _findings(crowded) == {}


def test_no_line_of_a_template_is_over_120():
    def long_lines(text: str) -> list[int]:
        return [number for number, line in enumerate(text.splitlines(), start=1) if len(line) > LONGEST_LINE]

    lines = _findings(long_lines)
    assert not lines, f"break these lines before column {LONGEST_LINE + 1}, between attributes or words: {lines}"


def test_a_comment_ends_on_its_line():
    """Django shows a comment in braces that goes over several lines as text of the page."""

    def unended(text: str) -> list[str]:
        return [line for line in text.splitlines() if line.count("{#") != line.count("#}")]

    assert _findings(unended) == {}

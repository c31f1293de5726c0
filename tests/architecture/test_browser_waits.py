"""Browser tests wait for what they assert: what a page shows at one moment depends on how busy the machine is."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[2]
FILES = [*sorted((ROOT / "tests/browser").glob("*.py")), ROOT / "tests/faults/test_long_page.py"]
# What a locator says at this moment; `expect(locator)` has a form of each that waits.
READS = {
    "all_inner_texts",
    "all_text_contents",
    "count",
    "get_attribute",
    "inner_html",
    "inner_text",
    "input_value",
    "is_checked",
    "is_disabled",
    "is_editable",
    "is_enabled",
    "is_hidden",
    "is_visible",
    "text_content",
}


def _findings(text: str) -> Iterator[tuple[int, str]]:
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Assert):
            yield from ((node.lineno, name) for name in map(_name_of, ast.walk(node.test)) if name in READS)
        elif _name_of(node) == "wait_for_function" and _is_evaluated_again(node):
            yield node.lineno, "wait_for_function"


def _name_of(node: ast.AST) -> str:
    """Return the name of the method that is called; `count` with an argument is that of a text or a list."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return ""
    return "" if node.func.attr == "count" and node.args else node.func.attr


def _is_evaluated_again(call: ast.Call) -> bool:
    """Tell whether it waits for an expression: its second evaluation is refused by the pages' policy."""
    waited = call.args[0]
    return isinstance(waited, ast.Constant) and "=>" not in waited.value


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("assert page.locator('a').is_disabled()", ["is_disabled"]),
        ("assert 'x' in [one.inner_text() for one in rows]", ["inner_text"]),
        ("assert rows.count() == 2", ["count"]),
        ("assert 'aab'.count('a') == 2", []),
        ("before = row.inner_text()\nuntil(lambda: row.inner_text() != before)", []),
        ("page.wait_for_function('window.ready')", ["wait_for_function"]),
        ("page.wait_for_function('() => window.ready')", []),
    ],
)
def test_a_read_in_an_assert_is_noticed(text, names):
    assert [name for _, name in _findings(text)] == names


@pytest.mark.parametrize("path", FILES, ids=[path.stem for path in FILES])
def test_no_browser_test_asserts_what_a_page_says_at_one_moment(path):
    """Write `expect(locator).to_...`, or `until(...)` of tests/patience.py for what has no such form."""
    assert list(_findings(path.read_text())) == []

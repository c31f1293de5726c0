"""Every class that a style sheet has a rule for is written by a template, a script or the Python behind them."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[2]
NAME = re.compile(r"-?[A-Za-z_][\w-]*")
# Beginnings of names that a library writes.
OF_LIBRARIES = ("ace_", "htmx-")
# Names whose end is a value, as in `class="of-{{ count }}"` or f"h{level}": a value follows, or the end of the string.
COMPOSED = re.compile(r"(?<![\w-])([A-Za-z][\w-]*(?:-(?=[\"'`]|$)|(?=\$?\{)))")


def own(pattern: str) -> Iterator[Path]:
    """Yield the files under the project's folder, those of others left out."""
    return (path for path in ROOT.glob(pattern) if "vendor" not in path.parts)


def styled(sheet: str) -> set[str]:
    """Return the classes in a sheet's selectors."""
    bare = re.sub(r"/\*.*?\*/|\"[^\"]*\"", "", sheet, flags=re.DOTALL)
    selectors = (one for one in re.findall(r"([^{}]+)\{", bare) if not one.strip().startswith("@"))
    return {name for one in selectors for name in re.findall(r"\.(-?[A-Za-z_][\w-]*)", one)}


def python_texts(source: str) -> Iterator[str]:
    """Yield the strings of a module but its docstrings; a value inside a string is `{}`."""
    tree = ast.parse(source)
    docstrings = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            yield "".join(str(part.value) if isinstance(part, ast.Constant) else "{}" for part in node.values)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docstrings:
            yield node.value


def template_texts(source: str) -> list[str]:
    """Return the quoted texts of a template, tags inside of them included, and its blocks of classes."""
    bare = re.sub(r"\{#.*?#\}|\{% comment.*?endcomment %\}", "", source, flags=re.DOTALL)
    attributes = re.findall(r"class=\"((?:[^\"{]|\{[{%].*?[}%]\})*)\"", bare, flags=re.DOTALL)
    blocks = re.findall(r"\{% block \w+class %\}(.*?)\{% endblock", bare)
    return [*attributes, *blocks, *re.findall(r"\"[^\"]*\"|'[^']*'", bare)]


def script_texts(source: str) -> list[str]:
    """Return the strings of a script, comment lines left out."""
    bare = re.sub(r"^\s*(?://|\*|/\*).*$", "", source, flags=re.MULTILINE)
    return re.findall(r"\"[^\"\n]*\"|'[^'\n]*'|`[^`]*`", bare)


def written() -> list[str]:
    """Return every text in which a class can be named."""
    texts: list[str] = []
    for pattern, read in (
        ("dashboard/**/*.py", python_texts),
        ("scheduler_core/explain/**/*.py", python_texts),
        ("scheduler_core/recording/vocabulary.py", python_texts),
        ("templates/**/*.html", template_texts),
        ("static/**/*.js", script_texts),
    ):
        for path in own(pattern):
            texts.extend(read(path.read_text(encoding="utf-8")))
    return texts


def beginnings_of(name: str) -> set[str]:
    """Return what may stand before a value in a name: up to each of its dashes, or up to its number."""
    return {name[: dash.end()] for dash in re.finditer("-", name)} | {name.rstrip("0123456789")}


def unused(classes: set[str], texts: list[str]) -> list[str]:
    """Return those of the classes that no text names, whole or up to a value."""
    names = {name for text in texts for name in NAME.findall(text)}
    beginnings = {beginning for text in texts for beginning in COMPOSED.findall(text)}
    unnamed = {name for name in classes - names if not name.startswith(OF_LIBRARIES)}
    return sorted(name for name in unnamed if beginnings.isdisjoint(beginnings_of(name)))


@pytest.mark.slow
def test_every_class_with_a_rule_is_written_somewhere():
    classes = {name for path in own("static/**/*.css") for name in styled(path.read_text(encoding="utf-8"))}
    assert len(classes) > 500
    assert unused(classes, written()) == []


def test_a_class_that_is_only_in_a_comment_or_docstring_counts_as_unused():
    classes = styled("/* .not-a-rule {} */ .one, .two > .of-3 { color: red } @media (width > 1px) { .four { top: 0 } }")
    assert classes == {"one", "two", "of-3", "four"}
    texts = [
        *python_texts('"""The class two."""\nname = f"of-{count}"'),
        *template_texts('{# four #}<p class="one{% if a == "b" %} x{% endif %}"></p>'),
        *script_texts("// four\n"),
    ]
    assert unused(classes, texts) == ["four", "two"]

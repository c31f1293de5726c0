"""Names say what a thing is: no two classes of modules bear one name, and no result is called `found` or `told`.

A class inside of another one is named with it.
"""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
# Names that have to be several times: {name: why}.
EXCEPTIONS = {
    "Command": "Django's commands",
    "Cluster": "a model, whose name is in the database, and the engine's cluster, whose name plugin authors know",
    "Timeline": "a model, whose name is in the database, and what its text is read into",
    "QueueMove": "a model, whose name is in the database, and the event that its rows are of",
    "VerdictTable": "the engine's table, and the declaration of the kernel's functions on it",
}
# Words for what was done to a thing, in place of one for the thing.
PARTICIPLES = frozenset({"found", "told", "known", "kept", "wanted"})
# A file without any of them need not be parsed.
WORDS = re.compile(rf"\b({'|'.join(sorted(PARTICIPLES | {'words'}))})\b")
# A list of words may be called so; a text, a sentence or a message has a name of its own. {file: why}
LISTS_OF_WORDS = {
    "architecture/test_tree.py": "a line, split",
    "dashboard/debugger/outcomes/test_address.py": "a strategy for single words",
    "scheduler_core/framework/contracts/facts/test_base.py": "facts of plugins say themselves by the method `words`",
    "scheduler_core/testing/test_check_plugin.py": "facts of plugins say themselves by the method `words`",
}
# Nodes that bind their `name`.
NAMED = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.ExceptHandler, ast.MatchAs, ast.MatchStar)
# Trees whose results have names of their own; longer names (`n_found`) may be any.
NAMED_TREES = ("scheduler_core", "dashboard", "examples", "tests")


@cache
def classes():
    """Return {name: [path:line]} of the classes of modules, with private ones, which a traceback shows, too."""
    places = defaultdict(list)
    for path in sorted([*ROOT.glob("dashboard/**/*.py"), *ROOT.glob("scheduler_core/**/*.py")]):
        if "migrations" in path.parts:
            continue
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef):
                places[node.name].append(f"{path.relative_to(ROOT)}:{node.lineno}")
    return places


@pytest.mark.slow
def test_no_two_classes_bear_one_name():
    several = {name: places for name, places in classes().items() if len(places) > 1}
    assert {name: places for name, places in several.items() if name not in EXCEPTIONS} == {}


@pytest.mark.slow
def test_every_exception_is_needed():
    places = classes()
    assert [name for name in EXCEPTIONS if len(places[name]) < 2] == []


@pytest.mark.slow
@pytest.mark.parametrize("tree", NAMED_TREES)
def test_no_variable_parameter_field_or_function_is_a_participle(tree):
    places = [
        f"{path.relative_to(ROOT)}:{line} {name}"
        for path in sorted((ROOT / tree).rglob("*.py"))
        for line, name in names_of(path)
        if name in PARTICIPLES
    ]
    assert places == []


@pytest.mark.slow
def test_in_tests_only_lists_of_words_are_called_so():
    tests = ROOT / "tests"
    files = [
        str(path.relative_to(tests))
        for path in sorted(tests.rglob("*.py"))
        if any(name == "words" for _, name in names_of(path))
    ]
    assert files == sorted(LISTS_OF_WORDS)


@cache
def names_of(path):
    """Return [(line, name)] of all that a file of Python binds, nothing of one that has none of the words."""
    text = path.read_text(encoding="utf-8")
    return list(bound_names(ast.parse(text))) if WORDS.search(text) else []


def bound_names(tree):
    """Yield (line, name) of all that a module binds: variables, attributes, parameters, functions, classes, imports."""
    for node in ast.walk(tree):
        if isinstance(node, ast.arg):
            yield node.lineno, node.arg
        elif isinstance(node, NAMED):
            yield node.lineno, node.name
        elif isinstance(node, ast.alias):
            yield node.lineno, node.asname
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.lineno, node.id
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            yield node.lineno, node.attr


def test_every_kind_of_binding_is_seen():
    source = """
import a as imported
from b import c as taken
def function(parameter, *rest, keyword=1): pass
class Class:
    field: int = 1
try: assigned.attribute = (walrus := 1)
except E as error: pass
match x:
    case [first, *others] as whole: pass
"""
    assert {name for _, name in bound_names(ast.parse(source))} - {None} == {
        *("imported", "taken", "function", "parameter", "rest", "keyword", "Class", "field"),
        *("attribute", "walrus", "error", "first", "others", "whole"),
    }

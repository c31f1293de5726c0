"""Names say what a thing is: no two classes of modules bear one name, and no result is called `found` or `told`.

A class inside of another one is named with it.
"""

from __future__ import annotations

import ast
from collections import defaultdict
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
PARTICIPLES = frozenset({"found", "told", "known", "kept"})
# The rooms whose results have names of their own; words that a sentence needs (`found` of a count) are not looked at.
NAMED_ROOMS = (
    *(f"scheduler_core/{room}" for room in ("api", "columns", "controllers", "engine", "framework", "plugins")),
    *(f"scheduler_core/{room}" for room in ("profiles", "queue", "recording", "testing")),
    *(f"scheduler_core/explain/{room}" for room in ("agreement", "facts", "outcomes", "remedies", "rivals")),
    *(f"scheduler_core/{room}" for room in ("cli", "query", "workloads")),
    *(
        f"dashboard/{room}"
        for room in ("accounts", "agreement", "common", "debugger", "home", "live", "review", "runs")
    ),
)


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
@pytest.mark.parametrize("room", NAMED_ROOMS)
def test_no_variable_and_no_parameter_is_a_participle(room):
    places = []
    for path in sorted((ROOT / room).rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            is_bound = isinstance(node, (ast.Name, ast.Attribute)) and isinstance(node.ctx, ast.Store)
            name = (
                node.arg
                if isinstance(node, ast.arg)
                else getattr(node, "id", getattr(node, "attr", ""))
                if is_bound
                else ""
            )
            if name in PARTICIPLES:
                places.append(f"{path.relative_to(ROOT)}:{node.lineno} {name}")
    assert places == []

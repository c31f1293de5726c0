"""No name is borne by two classes of modules: who reads one need not ask which is meant.

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


def classes():
    """Return {name: [path:line]} of the classes that other modules may import."""
    places = defaultdict(list)
    for path in sorted([*ROOT.glob("dashboard/**/*.py"), *ROOT.glob("scheduler_core/**/*.py")]):
        if "migrations" in path.parts:
            continue
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
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

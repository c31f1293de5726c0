"""The shape of the source tree: no folder is a drawer, and the documents name every room."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
MAX_MODULES = 16
"""In one folder, its sub-folders apart. A folder with more has rooms in it that have no name yet."""
LISTS = {
    "scheduler_core/plugins": "one module per plugin, as upstream",
    "scheduler_core/plugins/dynamic_resources": "one plugin with its allocator, a module for each rule",
}
"""Folders that may hold more, with the reason. tests/ mirrors these trees and is bound by them."""


def modules_per_folder():
    """Return {folder: number of modules} of the two source trees, without package markers and migrations."""
    paths = [path.relative_to(ROOT) for tree in ("scheduler_core", "dashboard") for path in (ROOT / tree).rglob("*.py")]
    return Counter(
        path.parent.as_posix() for path in paths if path.name != "__init__.py" and path.parent.name != "migrations"
    )


def test_no_folder_is_a_drawer():
    counts = modules_per_folder()
    assert counts["scheduler_core/api"] > 0
    assert {name: n for name, n in counts.items() if n > MAX_MODULES and name not in LISTS} == {}
    assert [name for name in LISTS if name not in counts] == []


def test_every_folder_with_modules_is_a_package():
    """A folder without __init__.py is invisible to the import rules."""
    folders = {ROOT / name for name in modules_per_folder()}
    assert [str(folder.relative_to(ROOT)) for folder in folders if not (folder / "__init__.py").is_file()] == []


FRAMEWORK_NAMES = {"management", "commands", "migrations", "templatetags"}
"""Folders that Django finds by these names, in any app."""


def rooms_of_the_documents():
    """Return the folders that docs/architecture.md lists under "The rooms", as paths."""
    text = (ROOT / "docs/architecture.md").read_text(encoding="utf-8")
    block = text.split("## The rooms\n```\n")[1].split("```")[0]
    rooms, above = set(), []
    for line in block.splitlines():
        for indent, name in names_in(line):
            above = [(level, room) for level, room in above if level < indent] + [(indent, name)]
            rooms.add("/".join(room for _, room in above))
    return rooms


def names_in(line):
    """Return (indentation, name) of the rooms that a line of the list begins with: one, or several and no words."""
    indent = len(line) - len(line.lstrip())
    words = line.split()
    names = words if all(word.endswith("/") for word in words) else words[:1]
    return [(indent, name[:-1]) for name in names if re.fullmatch(r"\w+/", name)]


def rooms_of_the_tree():
    """Return the packages of both trees, without those that Django names."""
    packages = {path.parent for tree in ("scheduler_core", "dashboard") for path in (ROOT / tree).rglob("__init__.py")}
    return {path.relative_to(ROOT).as_posix() for path in packages if not FRAMEWORK_NAMES & set(path.parts)}


def test_every_room_stands_in_the_documents_and_no_other():
    written, there = rooms_of_the_documents(), rooms_of_the_tree()
    assert sorted(there - written) == [], "not in docs/architecture.md, The rooms"
    assert sorted(room for room in written - there if room.startswith(("scheduler_core", "dashboard"))) == []

"""The shape of the source tree: no folder is a drawer."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
MAX_MODULES = 16
"""In one folder, its sub-folders apart. A folder with more has rooms in it that have no name yet."""
LISTS = {"scheduler_core/plugins": "one module per plugin, as upstream"}
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

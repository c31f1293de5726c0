"""The first page of docs: its drawing shows the import rules, and what it and the recipes name is there."""

from __future__ import annotations

import re
import tomllib
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
SVG = "{http://www.w3.org/2000/svg}"
MOST_WORDS = 26
# Where a page names a file by its place in a package.
PLACES = ("", "scheduler_core/", "dashboard/", "dashboard/clusters/")


def drawn(package: str) -> list[list[str]]:
    """Return the rooms on each floor of the package in the drawing, from the top."""
    root = ET.parse(DOCS / "images" / "house.svg").getroot()
    floors = [group for group in root.iter(f"{SVG}g") if group.get("data-floor") == package]
    return [[text.text or "" for text in floor.iter(f"{SVG}text")] for floor in floors]


@pytest.mark.parametrize("package", ["scheduler_core", "dashboard"])
def test_the_drawing_has_the_floors_of_the_import_rules(package: str) -> None:
    rules = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    layers = next(rule["layers"] for rule in rules if rule.get("containers") == [package])
    assert drawn(package) == [re.findall(r"\w+", layer) for layer in layers]


def named_files(page: str) -> list[str]:
    """Return the paths that a page names in code."""
    text = (DOCS / page).read_text(encoding="utf-8")
    return [name for name in re.findall(r"`([\w./]+)`", text) if "/" in name and not name.startswith("/")]


@pytest.mark.parametrize("page", ["README.md", "recipes.md"])
def test_files_and_folders_that_a_page_names_are_there(page: str) -> None:
    names = named_files(page)
    assert len(names) > 10
    missing = [name for name in names if not any((ROOT / place / name).exists() for place in PLACES)]
    assert missing == []


def test_functions_of_the_walks_are_there() -> None:
    text = (DOCS / "README.md").read_text(encoding="utf-8")
    named = re.findall(r"`([\w./]+\.py)` \(`(?:\w+\.)?(\w+)`\)", text)
    assert len(named) > 8
    for path, name in named:
        source = next((ROOT / place / path).read_text() for place in PLACES if (ROOT / place / path).exists())
        assert re.search(rf"\b(?:def|class) {name}\b", source), (path, name)


def test_the_glossary_is_short_and_gives_each_word_one_meaning() -> None:
    rows = re.findall(r"^\| (\w[\w ]*) \| (.+) \|$", (DOCS / "glossary.md").read_text(), flags=re.MULTILINE)
    terms = [word for word, _ in rows if word != "word"]
    assert len(terms) == len(set(terms)) <= MOST_WORDS
    assert "run" in terms


def test_every_page_is_linked_from_the_first() -> None:
    first = (DOCS / "README.md").read_text(encoding="utf-8")
    assert [page.name for page in DOCS.glob("*.md") if page.name != "README.md" and page.name not in first] == []

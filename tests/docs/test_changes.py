"""The changelog, the files of changes to come, and the version agree in their form."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
KINDS = {"added", "decisions", "changed", "fixed"}
FILES = sorted(path for path in (ROOT / "docs/changes").glob("*") if path.name != "README.md")
CHANGELOG = (ROOT / "CHANGELOG.md").read_text()


def entries(text: str) -> list[str]:
    """Return the entries of a list in Markdown, each with its further lines."""
    return re.findall(r"^- .*(?:\n  .*)*", text, re.MULTILINE)


def is_short(entry: str) -> bool:
    """Whether an entry is one or two lines of at most 160 characters, or the list's two of dash or indent more."""
    lines = entry.splitlines()
    return 1 <= len(lines) <= 2 and all(line.strip() and len(line) <= 162 for line in lines)


def test_a_change_to_come_is_a_short_file_of_a_kind() -> None:
    kinds = {path.name: re.fullmatch(r"[a-z0-9-]+\.([a-z]+)\.md", path.name) for path in FILES}
    assert [name for name, kind in kinds.items() if not kind or kind[1] not in KINDS] == []
    assert [path.name for path in FILES if not is_short(path.read_text())] == []


def test_the_newest_release_is_the_version_of_the_project() -> None:
    releases = re.findall(r"^## (\d+\.\d+\.\d+) - \d{4}-\d\d-\d\d$", CHANGELOG, re.MULTILINE)
    assert releases[0] == tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    assert len(releases) == CHANGELOG.count("\n## ")
    assert releases == sorted(set(releases), reverse=True)


def test_entries_of_releases_are_short() -> None:
    assert len(entries(CHANGELOG)) > 50
    assert [entry[:80] for entry in entries(CHANGELOG) if not is_short(entry)] == []


@pytest.mark.parametrize("entry", ["", "one\ntwo\nthree", "one\n\n", "x" * 163])
def test_an_entry_that_is_no_line_or_two_is_refused(entry: str) -> None:
    assert not is_short(entry)

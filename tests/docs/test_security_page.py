"""docs/security.md names tests and times that are there."""

from __future__ import annotations

import re
import tomllib
from datetime import timedelta
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
PAGE = (ROOT / "docs" / "security.md").read_text(encoding="utf-8")
TESTS = re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", PAGE)
TIMES = re.findall(r"^\| .+ \| (\d+) (hours|minutes) \| `([\w.]+)` \|$", PAGE, re.MULTILINE)
COMMANDS = re.findall(r"^\| `(\w+) [A-Z]", PAGE, re.MULTILINE)


def test_each_control_has_a_test_that_exists():
    table = PAGE.split("## Attackers and controls")[1].split("\n## ")[0]
    rows = [line for line in table.splitlines() if line.startswith("| ")][2:]
    assert len(rows) == len(TESTS) > 20
    missing = [
        f"{path}::{name}"
        for path, name in TESTS
        if not (ROOT / path).exists() or not re.search(rf"def {name}\b", (ROOT / path).read_text())
    ]
    assert missing == []


@pytest.mark.parametrize(("amount", "unit", "place"), TIMES)
def test_times_are_those_of_the_code(amount, unit, place):
    names = place.split(".")
    depth = next(n for n in range(len(names), 0, -1) if (ROOT / Path(*names[:n])).with_suffix(".py").exists())
    value: Any = import_module(".".join(names[:depth]))
    for name in names[depth:]:
        value = getattr(value, name)
    assert value == timedelta(**{unit: int(amount)})


def test_commands_are_there_and_installed():
    assert len(COMMANDS) == 4
    assert set(COMMANDS) <= PROJECT["entry-points"]["schedscope.commands"].keys()
    folders = [ROOT / "dashboard" / app / "management" / "commands" for app in ("accounts", "runs")]
    assert [name for name in COMMANDS if not any((folder / f"{name}.py").exists() for folder in folders)] == []

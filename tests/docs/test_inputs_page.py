"""docs/inputs.md has a row for each form of input and for each code of a gap, and nothing else."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from scheduler_core.manifests import forms
from scheduler_core.manifests.forms.recognising import FORMS
from scheduler_core.manifests.parsing.archive_entries import _MANIFESTS
from tests.scheduler_core.manifests.forms.examples import EXAMPLES
from tests.scheduler_core.manifests.forms.reading import loaded

PAGE = (Path(__file__).parents[2] / "docs" / "inputs.md").read_text(encoding="utf-8")


def _rows(section: str) -> list[list[str]]:
    text = PAGE.split(f"\n## {section}\n")[1].split("\n## ")[0]
    lines = [line for line in text.splitlines() if line.startswith("| ")][2:]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def _codes_in_source() -> set[str]:
    codes = set()
    for path in Path(forms.__file__).parent.rglob("*.py"):
        for call in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(call, ast.Call) and getattr(call.func, "id", "") == "InputGap":
                codes |= {ast.literal_eval(word.value) for word in call.keywords if word.arg == "code"}
    return codes


def test_each_form_has_its_row_in_order() -> None:
    assert [row[0] for row in _rows("Other forms")] == [form.name for form in FORMS]


def test_each_code_of_a_gap_has_its_row_and_a_form() -> None:
    codes = {row[0] for row in _rows("Gaps")}
    assert codes == _codes_in_source()
    assert codes == {code for row in _rows("Other forms") for code in re.findall(r"\w+", row[3])}


@pytest.mark.parametrize("row", _rows("Other forms"), ids=lambda row: row[0])
def test_a_row_says_whether_an_example_is_read_and_what_it_lacks(row: list[str]) -> None:
    file, data = EXAMPLES[row[0]]
    result = loaded(data, file)
    assert row[2].startswith("refused") == bool(result.errors)
    assert {gap.code for gap in result.unplayed.gaps} <= set(re.findall(r"\w+", row[3]))


def test_the_endings_of_files_are_those_that_are_taken() -> None:
    assert all(f"`{ending}`" in PAGE for ending in _MANIFESTS)

"""The page about queries follows from the list of fields."""

from __future__ import annotations

import re
from pathlib import Path

from scheduler_core.query import FIELDS, parse
from scheduler_core.query.reference import markdown

_PAGE = Path(__file__).parents[3] / "docs" / "query.md"


def test_the_page_is_what_the_list_gives():
    assert _PAGE.read_text(encoding="utf-8") == markdown(), "python -m scheduler_core.query.reference > docs/query.md"


def test_every_field_has_a_row():
    for field in FIELDS:
        assert f"`{field.name}`" in markdown()


def test_the_examples_on_the_page_are_understood():
    examples = re.search(r"```\n(.+?)```", markdown(), re.DOTALL)
    assert examples is not None
    assert [parse(line).subject for line in examples[1].splitlines()] == [
        "cycle",
        "cell",
        "cycle",
        "move",
        "preemption",
    ]

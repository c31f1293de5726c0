"""The page that lists what five documents describe: each row that works names tests that are there."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

import pytest

from tests.docs.documents.page import DOCUMENTS, PAGE, place_in_product, place_of_test, rows_of, text

if TYPE_CHECKING:
    from pathlib import Path

ROWS = [row for document in DOCUMENTS for row in rows_of(document)]


@cache
def names_in(path: Path) -> frozenset[str]:
    return frozenset(re.findall(r"^(?:async )?def (test_\w+)", path.read_text(), re.MULTILINE))


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.says[:40])
def test_a_row_names_what_proves_it_or_says_why_not(row):
    if row.verdict == "works":
        assert row.tests
        assert place_in_product(row.where).exists(), row.where
    else:
        assert row.note
    for test in row.tests:
        path, name = place_of_test(test)
        assert path.exists(), path
        assert name in names_in(path), test


def test_the_page_is_what_the_tables_say():
    assert PAGE.read_text() == text(), "python -m tests.docs.documents.page writes it"


def test_no_row_is_there_twice():
    said = [(document.title, row.says) for document in DOCUMENTS for row in rows_of(document)]
    assert len(said) == len(set(said)) > 100

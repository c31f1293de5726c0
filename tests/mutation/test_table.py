"""The table of mutations follows the code: each of them changes one place, and rules find places to change."""

from __future__ import annotations

import ast
from collections import Counter
from pathlib import Path

import pytest

from tests.mutation.__main__ import MODULES
from tests.mutation.generated import mutants
from tests.mutation.table import TABLE

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("mutation", TABLE, ids=[each.name for each in TABLE])
def test_each_mutation_has_one_place_and_tests_that_exist(mutation):
    assert (ROOT / mutation.path).read_text().count(mutation.old) == 1
    assert mutation.new != mutation.old
    assert (ROOT / mutation.tests[0]).exists()


@pytest.mark.slow
@pytest.mark.parametrize("path", MODULES)
def test_the_riskiest_modules_have_many_places_to_change(path):
    source = (ROOT / path).read_text()
    all_mutants = list(mutants(source))
    assert len(all_mutants) >= 20
    assert len({text for _, _, text in all_mutants} - {ast.unparse(ast.parse(source))}) == len(all_mutants), (
        "each is another module"
    )
    assert all((ROOT / test).exists() for test in MODULES[path])


def test_what_rules_change():
    source = "def f(a: int = 1) -> bool:\n    g(a)\n    return not (a < 2 and min(a, 3) == 3)\n"
    assert Counter((line, change) for line, change, _ in mutants(source)) == {
        (1, "1 -> 2"): 1,
        (2, "g(a) -> None"): 1,
        (3, "not (a < 2 and min(a, 3) == 3) -> +bool(a < 2 and min(a, 3) == 3)"): 1,
        (3, "a < 2 and min(a, 3) == 3 -> a < 2 or min(a, 3) == 3"): 1,
        (3, "a < 2 -> a <= 2"): 1,
        (3, "min(a, 3) == 3 -> min(a, 3) != 3"): 1,
        (3, "3 -> 4"): 2,
        (3, "2 -> 3"): 1,
        (3, "min(a, 3) -> max(a, 3)"): 1,
    }

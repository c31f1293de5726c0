"""The tables follow the code: each mutation changes one place, and what is listed as equivalent is still made."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.mutation.equivalent import EQUIVALENT
from tests.mutation.generated import mutants
from tests.mutation.table import TABLE

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("mutation", TABLE, ids=[each.name for each in TABLE])
def test_each_mutation_has_one_place_and_tests_that_exist(mutation):
    assert (ROOT / mutation.path).read_text().count(mutation.old) == 1
    assert mutation.new != mutation.old
    assert (ROOT / mutation.tests[0]).exists()


@pytest.mark.slow
@pytest.mark.parametrize("path", sorted({each.path for each in EQUIVALENT}))
def test_rules_still_make_what_is_listed_as_equivalent(path):
    made = {(mutant.function, mutant.change) for mutant in mutants((ROOT / path).read_text())}
    assert {(each.function, each.change) for each in EQUIVALENT if each.path == path} - made == set()

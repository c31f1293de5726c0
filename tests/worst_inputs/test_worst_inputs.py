"""The search for the worst inputs can be started: every family is made and read, and costs are measured."""

from __future__ import annotations

import pytest

from tests.worst_inputs.measuring import cost_of
from tests.worst_inputs.readers import READERS
from tests.worst_inputs.search import tried


@pytest.mark.parametrize("reader", READERS, ids=[reader.name for reader in READERS])
def test_each_family_is_made_and_read(reader):
    for family in reader.families.values():
        made = family(3)
        assert isinstance(reader.read(made if isinstance(made, bytes) else made.encode()), str)


def test_a_search_grows_to_the_limit_and_stops_behind_it():
    (queries,) = (reader for reader in READERS if reader.name == "query")
    costs = list(tried(queries._replace(families={"brackets": queries.families["brackets"]}), 200, 1))
    assert [one.n for one in costs] == [16, 72]
    assert [one.cost.is_accepted for one in costs] == [True, False]


def test_a_cost_is_that_of_reading_alone():
    cost = cost_of(lambda: bytes(1 << 20), lambda data: "too much" if sum(data[: 1 << 16]) == 0 else "")
    assert (cost.n_bytes, cost.outcome) == (1 << 20, "too much")
    assert cost.seconds < 5

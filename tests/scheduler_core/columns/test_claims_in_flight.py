"""What claims in flight will have."""

from __future__ import annotations

from scheduler_core.api.devices import Allocation
from scheduler_core.columns.claims_in_flight import ClaimsInFlight


def test_the_first_allocation_stays_until_it_is_given_back():
    flying, first = ClaimsInFlight(), Allocation()
    flying.set_aside("ns/c", first)
    flying.set_aside("ns/c", Allocation())
    assert flying.allocations["ns/c"] is first
    before = flying.generation
    flying.give_back("ns/c")
    assert not flying.allocations
    assert flying.generation > before


def test_what_a_kept_run_had_takes_the_place_of_what_there_was():
    flying = ClaimsInFlight()
    flying.set_aside("ns/a", Allocation())
    flying.take_over({"ns/b": Allocation()})
    assert list(flying.allocations) == ["ns/b"]

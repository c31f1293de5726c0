"""How many nodes refuse, in figures and as a band."""

from __future__ import annotations

from tests.dashboard.debugger.conftest import page_of


def test_refusals_of_the_scene(run, cycle_of):
    found = page_of(run, cycle=cycle_of("never-0").number).refusals
    # 64 cpu are more than any node has at all, which no event mends.
    assert (found.may_change, found.unresolvable, found.feasible) == (0, 3, 0)
    assert found.n_refused == 3
    assert len(found.band) == 3

"""How many nodes refuse, in figures and as a band."""

from __future__ import annotations

from tests.dashboard.debugger.conftest import page_of


def test_refusals_of_the_scene(run, cycle_of):
    refusals = page_of(run, cycle=cycle_of("never-0").number).refusals
    # 64 cpu are more than any node has at all, which no event mends.
    assert (refusals.may_change, refusals.unresolvable, refusals.feasible) == (0, 3, 0)
    assert refusals.n_refused == 3
    assert len(refusals.band) == 3

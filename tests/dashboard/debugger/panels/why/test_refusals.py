"""Why nothing fits."""

from __future__ import annotations

from tests.dashboard.debugger.conftest import page_of


def test_refusals_of_the_scene(run, cycle_of):
    found = page_of(run, cycle=cycle_of("never-0").number).refusals
    # 64 cpu are more than any node has at all, which no event mends.
    assert (found.may_change, found.unresolvable, found.feasible) == (0, 3, 0)
    assert sum(group.count for group in found.groups) == found.n_refused == 3
    assert len(found.band) == 3
    fit = next(group for group in found.groups if group.plugin == "NodeResourcesFit")
    assert fit.short.startswith("cpu short of 6")
    assert fit.reason == "Insufficient cpu"

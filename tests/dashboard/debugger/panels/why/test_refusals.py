"""How many nodes refuse, in figures."""

from __future__ import annotations

from dashboard.debugger.panels.why.refusals import Refusals
from tests.dashboard.debugger.conftest import page_of


def test_refusals_of_the_scene(run, cycle_of):
    page = page_of(run, cycle=cycle_of("never-0").number)
    assert page.attempt.refusals == Refusals(n_nodes=3, n_refused=3, feasible=0, unvisited=0)

"""The cell that an address names, as the line below the matrix shows it."""

from __future__ import annotations

import pytest

from dashboard.debugger.panels.matrix.chosen_cell import cell_of


def test_a_node_that_is_not_in_the_cycle_is_missing(view):
    assert cell_of(view, "nowhere", "NodeName").kind == "missing"


def test_a_plugin_s_score_is_shown_with_its_share_of_the_total(view):
    row = int(view.feasible[0])
    plugin = view.frame.score_plugins[0]
    cell = cell_of(view, view.names[row], plugin)
    assert (cell.kind, cell.verb, cell.fits) == ("score", "scores", True)
    assert cell.score.points == view.frame.weights[0] * int(view.normalized(0)[row])
    assert cell.score.low <= cell.score.raw <= cell.score.high
    assert cell.total == int(view.totals[row])


@pytest.mark.parametrize(
    ("plugin", "kind", "state"),
    [
        ("TaintToleration", "verdict", ("unres", "unresolvable")),
        ("NodeName", "verdict", ("bound", "passed")),
        ("", "node", ("bound", "passed")),
    ],
)
def test_a_refused_node_shows_the_verdict_of_the_named_plugin(view, plugin, kind, state):
    cell = cell_of(view, view.names[int(view.refused[0])], plugin)
    assert (cell.kind, cell.state, cell.fits, cell.score) == (kind, state, False, None)
    assert [one.plugin for one in cell.cells] == list(view.frame.filter_plugins)

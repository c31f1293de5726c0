"""The cell that an address names, as the line below the matrix shows it."""

from __future__ import annotations

import pytest

from dashboard.debugger.cursor.cursor import cursor_of
from dashboard.debugger.inputs.facts import facts_of
from dashboard.debugger.page import CursorPage
from dashboard.debugger.panels.matrix.chosen_cell import RefusalReason, cell_of, normalization_text
from dashboard.runs.models import Cycle
from tests.dashboard.run_helpers import node, pod


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


def test_facts_go_before_the_raw_reason():
    assert RefusalReason("Fit", "unsched", "3 cpu missing", "Insufficient cpu").text == "3 cpu missing"
    assert RefusalReason("Fit", "unsched", "", "Insufficient cpu").text == "Insufficient cpu"


def value_of(formula):
    """Return the value of a formula that consists of numbers, brackets and the four operations."""
    plain = formula.replace("\N{MULTIPLICATION SIGN}", "*").replace("\N{MINUS SIGN}", "-").replace(",", "")
    assert set(plain) <= set("0123456789+-*/() ."), formula
    # The line above lets arithmetic through only.
    return eval(plain)


def spread():
    """Return a pod that prefers to stay apart from its like, with a preferred label."""
    zone = {"key": "disk", "operator": "In", "values": ["ssd"]}
    prefers = {"weight": 10, "preference": {"matchExpressions": [zone]}}
    return {
        "affinity": {"nodeAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": [prefers]}},
        "topologySpreadConstraints": [
            {
                "maxSkew": 1,
                "topologyKey": "topology.kubernetes.io/zone",
                "whenUnsatisfiable": "ScheduleAnyway",
                "labelSelector": {"matchLabels": {"app": "x"}},
            }
        ],
    }


def test_formula_comes_to_the_normalised_score(execute):
    nodes = [
        node(f"n-{i}", "8", disk="ssd" if i else "hdd", **{"topology.kubernetes.io/zone": f"z{i % 2}"})
        for i in range(3)
    ]
    pods = [pod(f"p-{i}", "1", **spread()) for i in range(4)]
    for one in pods:
        one["metadata"]["labels"] = {"app": "x"}
    run = execute([*nodes, *pods], schedule="pending", slug="formulas")
    kinds = set()
    for cycle in Cycle.objects.filter(run_id=run.pk):
        view = CursorPage(cursor_of(run, "team", {"cycle": str(cycle.number)}), facts_of).attempt.frame
        for i, row in ((i, int(row)) for i in range(len(view.frame.score_plugins)) for row in view.feasible):
            formula = normalization_text(view.frame, i, row)
            kinds.add(view.frame.normalizations[i].kind)
            expected = int(view.normalized(i)[row])
            if not formula:
                assert expected == int(view.frame.raw[i][row])
            elif formula[-1] in "0123456789)":
                assert abs(value_of(formula) - expected) < 1
            else:
                assert formula.startswith(f"{expected} ")
    assert {"identity", "default", "default_reversed", "spread"} <= kinds

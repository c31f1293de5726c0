"""The step from a raw score to 0 to 100 says what the frame computed."""

from __future__ import annotations

from dashboard.debugger.cursor.cursor import cursor_of
from dashboard.debugger.inputs.facts import facts_of
from dashboard.debugger.page import CursorPage
from dashboard.debugger.panels.matrix.normalization_text import normalization_text
from dashboard.runs.models import Cycle
from tests.dashboard.run_helpers import node, pod


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

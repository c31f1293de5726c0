"""Downloads: hostile names are text in both, figures are those of the page."""

from __future__ import annotations

import csv
import io
from types import SimpleNamespace

from dashboard.debugger.outcomes.address import OutcomesView
from dashboard.debugger.outcomes.export import COLUMNS, as_csv, as_markdown, escaped
from dashboard.debugger.outcomes.side import Side
from dashboard.debugger.outcomes.table import OutcomesTable
from scheduler_core.api.objects import ClusterObjects
from scheduler_core.simulate import RunInputs
from scheduler_core.testing.builders import make_node, make_pod
from tests.scheduler_core.engine.scenarios import teaching
from tests.scheduler_core.explain.outcomes.runs import summed_up

EVIL = '=HYPERLINK("http://x","y")\n|<script>'


def test_markdown_shows_names_as_they_are_on_one_line():
    assert escaped("a|b\n*c* <b>") == r"a\|b \*c\* \<b\>"


def test_a_line_per_pod_with_hostile_names():
    pods = [make_pod(EVIL, namespace="+1"), make_pod("web-0", scheduling_gates=(EVIL,))]
    outcomes = summed_up(RunInputs(objects=ClusterObjects(nodes=[make_node("a")], pods=pods)))
    text = as_csv(OutcomesTable(outcomes, OutcomesView("team", 1), True))
    lines = list(csv.DictReader(io.StringIO(text)))
    assert tuple(lines[0]) == COLUMNS
    assert len(lines) == 2
    assert {line["pod"] for line in lines} == {f"'{EVIL}", "web-0"}
    assert not any(value.startswith(("=", "+", "@")) for line in lines for value in line.values())


def test_the_summary_has_totals_sections_figures_and_room():
    outcomes = summed_up(teaching())
    run = SimpleNamespace(number=7, name="# Ours")
    view = OutcomesView("team", 7)
    text = as_markdown(run, OutcomesTable(outcomes, view, True), Side(outcomes, view))
    assert text.startswith("# Run 7: \\# Ours\n")
    for part in ("2 pending", "## Needs a look", "No node has enough cpu free", "## Figures", "| eu\\-c |"):
        assert part in text

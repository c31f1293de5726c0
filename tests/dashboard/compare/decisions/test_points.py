"""Points of two nodes in both runs, against the frames that were recorded."""

from __future__ import annotations

import pytest
from django.http import QueryDict

from dashboard.compare.address import asked_comparison
from dashboard.compare.decisions.points import PointsTable
from dashboard.compare.page import ComparisonPage
from dashboard.runs.models import Cycle
from tests.dashboard.run_helpers import cluster_of, node

pytestmark = pytest.mark.django_db


@pytest.fixture
def scored(workspace, plain_run, execute):
    """The page where the node that only one of two runs has was chosen first; both score each pod."""
    other = execute([*cluster_of(5, 30), node("spare", "64")], slug="six")
    first = Cycle.objects.filter(run=other, node="spare").order_by("number").first()
    query = f"a={plain_run.number}&b={other.number}&b_cycle={first.number}"
    return ComparisonPage(asked_comparison(workspace, QueryDict(query)), {})


def test_points_add_up_to_the_totals_of_each_run(scored):
    table = scored.points
    assert len(table.heads) == len(table.totals) == 2 * len(table.nodes)
    for column, total in enumerate(table.totals):
        if total.points is not None:
            assert sum(line.cells[column].points for line in table.lines) == total.points


def test_the_chosen_node_of_each_run_is_marked(scored):
    chosen = [head for head, total in zip(scored.points.heads, scored.points.totals, strict=True) if total.is_chosen]
    assert chosen == [(side.letter, side.row.node) for side in scored.sides]


def test_a_node_that_one_run_does_not_have_was_not_scored_there(scored):
    table = scored.points
    totals = {head: total.text for head, total in zip(table.heads, table.totals, strict=True)}
    assert totals["A", "spare"] == "not scored"
    assert totals["B", "spare"].isdigit()
    for line in table.lines:
        assert line.is_moved == (line.moved != "same in both")


def test_there_is_no_table_where_one_side_scored_nothing(page, cycle_of):
    shown = page(a_cycle=cycle_of("never-0").number)
    assert PointsTable.of(*shown.sides) is None


def test_each_reason_is_counted_on_both_sides(page, cycle_of):
    table = page(a_cycle=cycle_of("never-0").number).refusals
    lines = {(line.plugin, line.is_lasting): line for line in table.lines}
    assert sum(line.a for line in table.lines) == 3
    assert sum(line.b for line in table.lines) == 3
    taint = lines["TaintToleration", True]
    assert (taint.a, taint.b, taint.delta) == (1, 1, "0")
    assert table.n_more == 0


def test_of_two_nodes_with_other_points_the_better_one_is_marked_in_each_run(scored):
    table, marked = scored.points, 0
    n = len(table.nodes)
    for line in table.lines:
        for cells in (line.cells[:n], line.cells[n:]):
            points = {cell.points for cell in cells}
            best = [cell.points for cell in cells if cell.is_best]
            scores = [value for value in points if value is not None]
            assert best == ([max(scores)] if scores and len(points) > 1 else [])
            marked += len(best)
    assert marked

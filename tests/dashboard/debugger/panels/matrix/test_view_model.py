"""One page of the plugin x node matrix."""

from __future__ import annotations

import pytest

from dashboard.debugger.panels.matrix import view_model as matrix
from dashboard.debugger.panels.matrix.cells import MatrixQuery
from dashboard.debugger.panels.matrix.frame_view import CalledPlugins, FrameView


def shown(view, **query):
    """Return one page of the matrix."""
    return matrix.build(view, MatrixQuery(**query))


def test_counts_add_up(view):
    page = shown(view)
    assert (page.n_nodes, page.visited, page.feasible, page.refused, page.unvisited) == (130, 130, 117, 13, 0)


def test_rows_fall_by_total_and_each_node_that_fits_is_in_one_line(view):
    page = shown(view)
    totals = [row.total for row in page.rows]
    assert totals == sorted(totals, reverse=True)
    assert len(page.rows) + sum(row.fold.count for row in page.rows if row.fold) == 117
    assert page.place_text.startswith("1 to 117 ")


def test_by_name_each_node_has_a_row_and_pages_hold_every_one_once(view):
    pages = [shown(view, sort="node", page=n) for n in range(1, 7)]
    rows = [row for page in pages for row in page.rows]
    assert [len(page.rows) for page in pages] == [20] * 5 + [17]
    assert {page.pages for page in pages} == {6}
    assert len({row.node for row in rows}) == 117
    assert pages[0].rest == 97
    assert pages[1].place_text == "21 to 40 of 117 that fit"


def test_page_behind_the_last_is_the_last(view):
    assert shown(view, sort="node", page=99).page == 6


def test_winner_stands_before_its_equals(view):
    last = shown(view, sort="node", page=1).rows[15]
    page = shown(view, winner=last.node)
    best = [row for row in page.rows if row.total == last.total]
    assert best[0].node == last.node
    assert best[0].mark == "win"


def test_of_equal_nodes_the_winner_is_first_and_the_runner_up_second(view):
    top = shown(view).rows[0]
    equals = [top.node, *next(one.fold for one in shown(view, open=top.fold.key).rows if one.fold).names[:4]]
    page = shown(view, winner=equals[4], second=equals[3])
    assert [row.node for row in page.rows[:3]] == [equals[4], equals[3], equals[0]]


@pytest.mark.parametrize("form", ["raw", "norm", "points"])
def test_values_are_those_of_the_frame(view, form):
    frame = view.frame
    for row in shown(view, values=form).rows:
        at = view.row_of[row.node]
        for i, cell in enumerate(row.scores):
            norm = int(frame.normalized(i)[at])
            expected = {"raw": int(frame.raw[i][at]), "norm": norm, "points": norm * frame.weights[i]}[form]
            assert cell.value == expected
        assert row.total == int(frame.totals()[at])


def test_sorting_by_a_plugin_and_by_name(view):
    plugin = "NodeResourcesFit"
    rising = shown(view, sort=plugin, order="asc").rows
    values = [next(cell.value for cell in row.scores if cell.plugin == plugin) for row in rising]
    assert values == sorted(values)
    names = [row.node for row in shown(view, sort="node").rows]
    assert names == sorted(names)
    assert next(row.node for row in shown(view, sort="node", order="desc").rows) == "node-129"


def test_filter_by_name_holds_for_rows_and_groups(view):
    page = shown(view, q="NODE-01")
    assert {row.node for row in page.rows} == {f"node-01{n}" for n in range(1, 10)}
    assert [group.names for group in page.groups] == [["node-010"]]
    assert page.matched == 10
    assert shown(view, q="nothing").rows == []


def test_equal_refusals_are_one_group_with_the_reason(view):
    page = shown(view)
    assert len(page.groups) == 1
    group = page.groups[0]
    assert (group.count, group.plugin, group.meaning) == (13, "TaintToleration", "unres")
    assert "untolerated taint(s)" in group.reason
    assert shown(view, open=group.key).opened.names == group.names


def test_selected_node_is_on_the_page_wherever_it_ranks(view):
    last = shown(view, page=3).rows[-1].node
    assert last in [row.node for row in shown(view, pinned=last).rows]
    assert shown(view, pinned="node-020").opened is not None


def test_scores_are_unknown_before_the_score_phase(frame, node_rows):
    early = FrameView(frame, node_rows, CalledPlugins(scores=0))
    matrix_then = shown(early)
    assert [column.plugin for column in matrix_then.columns] == list(frame.score_plugins)
    assert all(column.is_ahead for column in matrix_then.columns)
    assert {cell.value for row in matrix_then.rows for cell in row.scores} == {None}
    assert {row.total for row in matrix_then.rows} == {None}

"""The matrix against the frame that it was made from: order, values, groups, paging."""

from __future__ import annotations

import numpy as np
import pytest

from dashboard.debugger.inputs.node_set import NodeRows
from dashboard.debugger.panels.matrix import view_model as matrix
from dashboard.debugger.panels.matrix.view_model import FrameView, Wanted
from dashboard.runs.storage import cursors
from tests.dashboard.debugger.conftest import tainted
from tests.dashboard.run_helpers import node, pod


@pytest.fixture
def big(execute):
    """A run of three pods on 130 nodes of two sizes, thirteen of them tainted."""
    nodes = [tainted(f"node-{n:03}") if n % 10 == 0 else node(f"node-{n:03}", f"{8 + n % 2 * 8}") for n in range(130)]
    return execute([*nodes, *(pod(f"pod-{n}") for n in range(3))], slug="big", schedule="pending")


@pytest.fixture
def view(big):
    """The first cycle's frame."""
    found = cursors.frame(big, 1)
    return FrameView(found.frame, NodeRows(found.names))


def shown(view, **wanted):
    """Return one page of the matrix."""
    return matrix.build(view, Wanted(**wanted))


def test_counts_add_up(view):
    found = shown(view)
    assert (found.n_nodes, found.visited, found.feasible, found.refused, found.unvisited) == (130, 130, 117, 13, 0)


def test_rows_fall_by_total_and_pages_hold_every_node_once(view):
    pages = [shown(view, page=n) for n in (1, 2, 3)]
    rows = [row for page in pages for row in page.rows]
    assert [len(page.rows) for page in pages] == [50, 50, 17]
    assert [page.pages for page in pages] == [3, 3, 3]
    totals = [row.total for row in rows]
    assert totals == sorted(totals, reverse=True)
    assert len({row.node for row in rows}) == 117
    assert pages[0].rest == 67


def test_page_behind_the_last_is_the_last(view):
    assert shown(view, page=99).page == 3


def test_winner_stands_before_its_equals(view):
    last = shown(view, page=1).rows[30]
    found = shown(view, winner=last.node)
    assert found.rows[0].node == last.node
    assert found.rows[0].mark == "win"


def test_of_equal_nodes_the_winner_is_first_and_the_runner_up_second(view):
    equals = [row.node for row in shown(view).rows[:5]]
    assert len({row.total for row in shown(view).rows[:5]}) == 1
    found = shown(view, winner=equals[4], second=equals[3])
    assert [row.node for row in found.rows[:5]] == [equals[4], equals[3], *equals[:3]]


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
    found = shown(view, q="NODE-01")
    assert {row.node for row in found.rows} == {f"node-01{n}" for n in range(1, 10)}
    assert [group.names for group in found.groups] == [["node-010"]]
    assert found.matched == 10
    assert shown(view, q="nothing").rows == []


def test_equal_refusals_are_one_group_with_the_reason(view):
    found = shown(view)
    assert len(found.groups) == 1
    group = found.groups[0]
    assert (group.count, group.plugin, group.meaning) == (13, "TaintToleration", "unres")
    assert "untolerated taint(s)" in group.reason
    assert shown(view, open=group.key).opened.names == group.names


def test_selected_node_is_on_the_page_wherever_it_ranks(view):
    last = shown(view, page=3).rows[-1].node
    assert last in [row.node for row in shown(view, pinned=last).rows]
    assert shown(view, pinned="node-020").opened is not None


def test_cells_say_what_frames_say(view):
    row = view.row_of["node-010"]
    cells = {cell.plugin: cell for cell in view.cells(row)}
    assert cells["NodeName"].look == "ok"
    assert cells["TaintToleration"].look == "nores"
    assert cells["TaintToleration"].title.startswith("TaintToleration: unresolvable, node(s) had untolerated taint")


def test_scores_are_unknown_before_the_score_phase(big):
    found = cursors.frame(big, 1)
    early = FrameView(found.frame, NodeRows(found.names), has_scores=False)
    matrix_then = shown(early)
    assert matrix_then.columns == []
    assert all(row.scores == [] for row in matrix_then.rows)


def test_verdict_codes_count_like_the_matrix(view):
    codes = matrix.verdict_codes(view)
    assert np.bincount(codes, minlength=5).tolist() == [0, 117, 0, 13, 0]


def test_rows_are_grouped_by_all_that_is_said_of_them(view):
    rows, frame = np.arange(view.frame.n_rows), view.frame
    firsts, ids = view.group_ids(rows)
    said = [(int(frame.decisive[i]), frame.codes[:, i].tobytes(), frame.reasons[:, i].tobytes()) for i in rows]
    assert len(firsts) == len(set(said))
    assert [said[firsts[group]] for group in ids] == said
    assert all(said.index(said[first]) == first for first in firsts)


def test_standing_counts_those_above_and_equals(view):
    totals = view.totals[view.feasible]
    for total in set(totals.tolist()):
        assert view.standing(total) == (1 + int((totals > total).sum()), int((totals == total).sum()))

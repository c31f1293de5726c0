"""Verdicts, groups and ranks of a frame."""

from __future__ import annotations

import numpy as np

from dashboard.debugger.panels.matrix import view_model as matrix
from dashboard.debugger.panels.matrix.cells import MatrixQuery
from dashboard.debugger.panels.matrix.frame_view import CalledPlugins, FrameView, known_frame, verdict_codes
from tests.dashboard.debugger.conftest import page_of


def test_cells_say_what_frames_say(view):
    row = view.row_of["node-010"]
    cells = {cell.plugin: cell for cell in view.cells(row)}
    assert cells["NodeName"].look == "ok"
    assert cells["TaintToleration"].look == "nores"
    assert cells["TaintToleration"].title.startswith("TaintToleration: unresolvable, node(s) had untolerated taint")


def test_verdict_codes_count_like_the_matrix(view):
    codes = verdict_codes(view)
    assert np.bincount(codes, minlength=5).tolist() == [0, 117, 0, 13, 0]


def test_rows_are_grouped_by_all_that_is_said_of_them(view):
    rows, frame = np.arange(view.frame.n_rows), view.frame
    firsts, ids = view.group_ids(rows)
    said = [(int(frame.decisive[i]), frame.codes[:, i].tobytes(), frame.reasons[:, i].tobytes()) for i in rows]
    assert len(firsts) == len(set(said))
    assert [said[firsts[group]] for group in ids] == said
    assert all(said.index(said[first]) == first for first in firsts)


def test_a_rank_counts_those_above_and_equals(view):
    totals = view.totals[view.feasible]
    for total in set(totals.tolist()):
        assert view.rank_of(total) == (1 + int((totals > total).sum()), int((totals == total).sum()))


def test_a_node_fits_until_a_filter_that_was_called_refuses_it(frame):
    tainted = frame.filter_plugins.index("TaintToleration")
    assert len(known_frame(frame, CalledPlugins(tainted, 0)).feasible()) == 130
    assert len(known_frame(frame, CalledPlugins(tainted + 1, 0)).feasible()) == 117
    assert (known_frame(frame, CalledPlugins()).decisive == frame.decisive).all()


def test_totals_are_sums_of_the_scores_called_so_far(frame):
    rows = frame.feasible()
    sums = np.zeros(frame.n_rows, dtype=np.int64)
    for n in range(1, len(frame.score_plugins) + 1):
        sums += frame.weights[n - 1] * frame.normalized(n - 1)
        partial = known_frame(frame, CalledPlugins(None, n))
        assert partial.score_plugins == frame.score_plugins[:n]
        assert (partial.totals()[rows] == sums[rows]).all()


def test_the_matrix_keeps_its_columns_while_calls_go_on(frame, node_rows):
    heads = {
        tuple(shown.filters) + tuple(column.plugin for column in shown.columns)
        for columns in (CalledPlugins(1, 0), CalledPlugins(3, 0), CalledPlugins(None, 1), CalledPlugins())
        for shown in [matrix.build(FrameView(frame, node_rows, columns), MatrixQuery())]
    }
    assert len(heads) == 1


def test_totals_are_called_partial_while_scores_are_ahead(frame, node_rows):
    shown = {n: matrix.build(FrameView(frame, node_rows, CalledPlugins(None, n)), MatrixQuery()) for n in (0, 1, None)}
    assert [(one.has_totals, one.is_partial) for one in shown.values()] == [
        (False, False),
        (True, True),
        (True, False),
    ]


def test_a_cell_ahead_of_the_cursor_says_nothing(run, cycle_of):
    page = page_of(run, cycle=cycle_of("never-0").number, point="Filter", call="NodeName", step="call")
    labels = [cell.label for cell in page.attempt.matrix.rows[0].filters]
    assert labels[:3] == ["passed", "passed", "not called yet"]
    assert (page.attempt.matrix.feasible, page.attempt.matrix.refused) == (3, 0)

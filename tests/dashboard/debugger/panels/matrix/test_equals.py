"""Nodes with the same verdicts and scores are one line of the matrix, which opens to their names."""

from __future__ import annotations

from dashboard.debugger.panels.matrix import view_model as matrix
from dashboard.debugger.panels.matrix.cells import MatrixQuery


def shown(view, **query):
    """Return one page of the matrix."""
    return matrix.build(view, MatrixQuery(**query))


def test_equal_nodes_are_folded_behind_the_first_of_them_and_opened_by_their_key(view):
    page = shown(view)
    fold = next(row.fold for row in page.rows if row.fold)
    row = next(row for row in page.rows if row.fold is fold)
    opened = next(one.fold for one in shown(view, open=fold.key).rows if one.fold and one.fold.key == fold.key)
    assert (opened.is_open, len(opened.names), opened.more) == (True, min(50, fold.count), max(0, fold.count - 50))
    assert not fold.names
    for name in opened.names:
        assert view.frame.raw[:, view.row_of[name]].tolist() == view.frame.raw[:, view.row_of[row.node]].tolist()


def test_winner_runner_up_and_the_chosen_node_are_never_folded(view):
    fold = next(row.fold for row in shown(view).rows if row.fold)
    first, second, third = next(
        one.fold.names[:3] for one in shown(view, open=fold.key).rows if one.fold and one.fold.is_open
    )
    page = shown(view, winner=third, second=second, pinned=first)
    rows = {row.node: row for row in page.rows}
    assert [rows[name].fold for name in (first, second, third)] == [None] * 3
    assert rows[third].mark == "win"

"""Heads of the matrix: which plugins, and what a click on one asks for."""

from __future__ import annotations

import pytest

from dashboard.debugger.panels.matrix.cells import MatrixQuery, score_columns


def test_every_score_plugin_has_a_column_with_its_weight(view):
    columns = score_columns(view, MatrixQuery())
    pairs = [(column.plugin, column.weight) for column in columns if not column.is_ahead]
    assert pairs == list(zip(view.frame.score_plugins, view.frame.weights, strict=True))


@pytest.mark.parametrize(
    ("order", "asks", "aria", "glyph"),
    [(None, "", "", "arrowdown"), ("desc", "asc", "descending", "arrowdown"), ("asc", "", "ascending", "up")],
    ids=["not sorted by it", "the best first", "the worst first"],
)
def test_a_head_asks_for_the_other_order_and_says_the_present_one(view, order, asks, aria, glyph):
    plugin = view.frame.score_plugins[0]
    query = MatrixQuery() if order is None else MatrixQuery(sort=plugin, order=order)
    head = score_columns(view, query)[0].head
    assert (head.sort, head.order, head.aria, head.glyph) == (plugin, asks, aria, glyph)

"""Rows of the matrix: equals of a winner that was drawn, marks of the cursor, hostile names."""

from __future__ import annotations

import re
from types import SimpleNamespace

import pytest

from dashboard.debugger.cursor.cursor import Cursor, View
from dashboard.debugger.panels.matrix import view_model as matrix
from dashboard.debugger.panels.matrix.cells import MatrixQuery
from dashboard.debugger.panels.matrix.frame_view import CalledPlugins, FilterCell, FrameView, known_frame
from dashboard.debugger.panels.matrix.markup import filter_cells, glyph, node_rows, strip


def rows(view, look=None, **query):
    cursor = Cursor(SimpleNamespace(number=3, pk=3), "team", 7, None, look or View())
    return node_rows(matrix.build(view, MatrixQuery(**query)), cursor)


def test_equals_of_a_drawn_winner_have_the_edge_of_a_tie_and_its_total_says_drawn(view):
    totals = view.totals[view.feasible]
    equal = [view.names[int(row)] for row in view.feasible[totals == totals.max()]]
    assert len(equal) > 1
    html = rows(view, winner=equal[0])
    tied = re.findall(r'<tr class="([^"]*is-tie)" data-node="([^"]*)"', html)
    assert {node for _, node in tied} <= set(equal)
    assert ("is-win is-tie", equal[0]) in tied
    assert re.findall(r'title="drawn from (\d+) nodes with this total"', html) == [str(len(equal))]


def test_without_a_winner_no_row_is_marked_as_equal(view):
    assert "is-tie" not in rows(view)


def test_only_the_cell_of_the_address_is_marked(view):
    node, plugin = view.names[int(view.feasible[0])], view.frame.score_plugins[0]
    html = rows(view, View(node=node, plugin=plugin), pinned=node)
    assert len(re.findall(r'<td class="[^"]* at"', html)) == 1 + (plugin in view.frame.filter_plugins)


def test_in_a_cycle_without_scores_each_row_says_that_it_passed(view):
    unscored = FrameView(known_frame(view.frame, CalledPlugins(scores=0)), view.rows)
    assert rows(unscored, sort="node").count("passed all filters") == 20


def test_before_scores_their_columns_are_empty(view):
    early = FrameView(view.frame, view.rows, CalledPlugins(scores=0))
    assert rows(early, sort="node").count('<td class="sc ahead sc-first"></td>') == 20
    assert rows(early, sort="node").count('<td class="tot"></td>') == 20


def test_equal_nodes_are_a_line_that_opens_to_their_names_and_closes_again(view):
    html = rows(view)
    key, count = re.search(r'open=(equal-\d+)" aria-expanded="false">.*?>(\d+) more equal<', html).groups()
    opened = rows(view, View(open=key), open=key)
    assert 'aria-expanded="true"' in opened
    assert f"open={key}" not in opened.split('aria-expanded="true"')[0].rsplit("<a", 1)[1]
    names = re.findall(r'class="chip-link" href="([^"]+)"', opened)
    assert len(names) == min(int(count), 50)
    assert all(f"open={key}" in name and "node=" in name for name in names)


@pytest.mark.parametrize("write", [filter_cells, strip])
def test_reasons_are_escaped(write):
    html = write([FilterCell("Own", "no", "x", "refused", '<img src="x">')])
    assert "<img" not in html
    assert "&lt;img src=&quot;x&quot;&gt;" in html


def test_no_name_is_no_icon():
    assert glyph("") == ""


def test_an_icon_has_its_class_and_says_its_label():
    markup = glyph("check", "ok", "fits <all>")
    assert 'class="i ok"' in markup
    assert 'aria-label="fits &lt;all&gt;"' in markup

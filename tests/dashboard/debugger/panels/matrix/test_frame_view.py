"""Verdicts, groups and ranks of a frame."""

from __future__ import annotations

import numpy as np

from dashboard.debugger.panels.matrix.frame_view import verdict_codes


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

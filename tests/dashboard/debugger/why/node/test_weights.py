"""Ranges of weights: inside them the same nodes win, one step beyond they do not."""

from __future__ import annotations

import numpy as np
import pytest

from dashboard.debugger.why.node.weights import MOST, Weights
from dashboard.runs.models import Cycle
from tests.dashboard.debugger.conftest import page_of


def best_nodes(view, weights):
    """The names of the nodes with the best total under these weights, counted anew from the frame."""
    totals = {
        view.names[row]: sum(w * int(view.frame.normalized(i)[row]) for i, w in enumerate(weights))
        for row in view.feasible.tolist()
    }
    return {name for name, total in totals.items() if total == max(totals.values())}


def scored(run):
    return Cycle.objects.filter(run_id=run.pk, total__isnull=False).order_by("number")


def test_one_step_beyond_a_range_others_win_and_inside_it_never(plain_run):
    seen = 0
    for cycle in scored(plain_run):
        view = page_of(plain_run, cycle=cycle.number).attempt.frame
        weights = Weights(view, cycle.node)
        present = best_nodes(view, weights.weights)
        assert cycle.node in present
        for i in range(len(weights.weights)):
            row = weights.range(i)
            flips = row.range

            def at(weight, i=i, view=view, weights=weights):
                return best_nodes(view, [*weights.weights[:i], weight, *weights.weights[i + 1 :]])

            assert at(flips.least) == at(flips.most) == present
            assert len(row.flips) == bool(flips.below) + bool(flips.above)
            for beyond, best in ((flips.least - 1, flips.below), (flips.most + 1, flips.above)):
                assert (not best) == (beyond < 0 or beyond > MOST)
                if best:
                    names = at(beyond)
                    assert names != present
                    assert set(best) == names
                    seen += 1
            assert set(weights.without(i).tied) == at(0)
    assert seen > 10


def test_scores_for_the_script_stand_for_every_node_that_fits(plain_run):
    for cycle in scored(plain_run)[:8]:
        view = page_of(plain_run, cycle=cycle.number).attempt.frame
        weights = Weights(view, cycle.node)
        kinds = weights.kinds()
        assert sum(count for _, count, *_ in kinds) == len(view.feasible)
        totals = [(-int(np.dot(norms, weights.weights)), name) for name, _, *norms in kinds]
        assert min(totals)[1] == min(best_nodes(view, weights.weights))


@pytest.mark.parametrize("limit", [1, 2])
def test_where_kinds_are_many_what_can_never_win_is_left_out(plain_run, monkeypatch, limit):
    monkeypatch.setattr("dashboard.debugger.why.node.weights.MOST_KINDS", limit)
    view = page_of(plain_run, cycle=scored(plain_run).last().number).attempt.frame
    weights = Weights(view, "")
    names = {name for name, *_ in weights.kinds()}
    assert names & best_nodes(view, weights.weights)

"""One step outside of its range a weight changes who has the best total, and nowhere inside: decided by the engine."""

from __future__ import annotations

import os
from itertools import count
from random import Random

import numpy as np
import pytest

from scheduler_core.explain.rivals.flips import LIMIT, find_range, weight_ranges
from scheduler_core.explain.sessions import Changes, at_cycle
from tests.scheduler_core.crowded import crowded, pod_of, recorded

LONG = os.environ.get("TEST_ANSWERS") == "long"
CYCLES = 500 if LONG else 6


def scored(n):
    """(trials, pod, recorded frame, names by row) of so many random cycles in which several nodes were scored."""
    for seed in count(300):
        inputs, draw = crowded(seed), Random(seed)
        reader = recorded(inputs)
        for cycle in draw.sample(range(1, reader.last_cycle() + 1), min(12, reader.last_cycle())):
            frame = reader.frame(cycle)
            if frame is not None and frame.score_plugins and len(frame.feasible()) > 1:
                yield at_cycle(reader, inputs, cycle), pod_of(reader, cycle), frame, reader.node_names(cycle)
                n -= 1
                if not n:
                    return


@pytest.mark.slow
def test_each_flip_point_is_where_the_engine_decides_otherwise():
    flips = 0
    for trials, key, frame, names in scored(CYCLES):
        best = trials.attempt(key).tied
        for one in weight_ranges(frame, names):

            def tied(weight, plugin=one.plugin, trials=trials, key=key):
                return trials.attempt(key, Changes(weights={plugin: weight})).tied

            assert tied(one.least) == tied(one.most) == tied((one.least + one.most) // 2) == best
            assert (one.least == 0) == (one.below == ())
            assert (one.most == one.limit) == (one.above == ())
            if one.below:
                assert tied(one.least - 1) == one.below != best
                flips += 1
            if one.above:
                assert tied(one.most + 1) == one.above != best
                flips += 1
    assert flips > CYCLES / 3


def test_the_range_of_a_weight_worked_out_by_hand():
    """Totals at weight v: a has 200 + 80 v, b has 250 + 60 v, so that a leads from 20 v > 50 on."""
    weight_range = find_range("P", 3, np.array([440, 430]), np.array([80, 60]), ["a", "b"])
    assert (weight_range.least, weight_range.most, weight_range.below, weight_range.above) == (3, LIMIT, ("b",), ())


def test_the_lead_one_step_outside_is_over_the_next_total():
    """Totals at weight v: a has 200 + 80 v, b has 255 + 60 v, c has 250; at weight 2 b has 375, a 360."""
    weight_range = find_range("P", 3, np.array([440, 435, 250]), np.array([80, 60, 0]), ["a", "b", "c"])
    assert (weight_range.least, weight_range.below, weight_range.below_lead, weight_range.above_lead) == (
        3,
        ("b",),
        15,
        None,
    )


def test_a_tie_one_step_outside_is_a_change():
    """Totals at weight v: a has 20 + 10 v, b has 11 v."""
    weight_range = find_range("P", 5, np.array([70, 55]), np.array([10, 11]), ["a", "b"])
    assert (weight_range.least, weight_range.most, weight_range.above) == (0, 19, ("a", "b"))

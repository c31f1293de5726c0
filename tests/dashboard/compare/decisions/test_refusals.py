"""Refusals of both sides by plugin."""

from __future__ import annotations

import pytest

pytestmark = pytest.mark.django_db


def test_each_reason_is_counted_on_both_sides(page, cycle_of):
    table = page(a_cycle=cycle_of("never-0").number).refusals
    lines = {(line.plugin, line.is_lasting): line for line in table.lines}
    assert sum(line.a for line in table.lines) == 3
    assert sum(line.b for line in table.lines) == 3
    taint = lines["TaintToleration", True]
    assert (taint.a, taint.b, taint.delta) == (1, 1, "0")
    assert table.n_more == 0

"""The figures of an upgrade."""

from __future__ import annotations

import pytest

from scheduler_core.compare.pods import EVICTED_A, EVICTED_B, MOVED, PLACED_A, PLACED_B
from scheduler_core.compare.upgrade.figures import figures_of
from scheduler_core.compare.upgrade.report import upgrade_report, version_side
from tests.scheduler_core.compare.upgrade.clusters import generated, recorded


@pytest.mark.slow
def test_each_figure_counts_pods_of_its_group():
    report = upgrade_report(generated(0), (version_side("1.34.1"), version_side("1.36")), recorded)
    figures, groups = figures_of(report), [one.group for one in report.comparison.pods]
    assert figures.moved == groups.count(MOVED) > 0
    assert (figures.placed_now, figures.placed_no_longer) == (groups.count(PLACED_B), groups.count(PLACED_A))
    assert figures.evicted == (groups.count(EVICTED_A), groups.count(EVICTED_B))
    assert figures.pending == tuple(side.unplaced for side in report.comparison.totals)
    assert figures.texts == len(report.texts)

"""A diagnosis equals brute force over sets of edits, on generated clusters with obstacles of all kinds.

All 1,000 run with `make test-all`; `python -m tests.scheduler_core.explain.diagnosis.figures` prints what of them
holds.
"""

from __future__ import annotations

from itertools import count

import pytest

from scheduler_core.explain.diagnosis import diagnose
from tests.scheduler_core.explain.diagnosis.brute_force import BruteForce, trials_on
from tests.scheduler_core.explain.diagnosis.draft import WAITING
from tests.scheduler_core.explain.diagnosis.mixed_clusters import mixed
from tests.scheduler_core.explain.diagnosis.one_cluster import Figures
from tests.seeds import long_after

TOGETHER = 10
SEEDS = range(0, 1000, TOGETHER)


@pytest.mark.slow
@pytest.mark.parametrize("first", long_after(SEEDS, 3))
def test_the_cause_its_groups_and_the_first_remedy_are_what_brute_force_finds(first):
    figures = Figures()
    for seed in range(first, first + TOGETHER):
        figures.add(seed)
    assert not figures.violated, "\n".join(figures.lines())


def test_a_pod_that_fits_has_no_cause():
    fitting = (one for one in map(BruteForce, map(mixed, count())) if one.feasible())
    for _ in range(10):
        assert diagnose(trials_on(next(fitting).cluster), WAITING) is None

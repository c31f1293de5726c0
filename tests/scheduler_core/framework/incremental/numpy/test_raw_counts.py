"""Counts of raw scores follow the rows that count as counting anew would."""

from __future__ import annotations

from collections import Counter
from random import Random

import numpy as np
import pytest

from scheduler_core.framework.contracts.verdicts import broadcast
from scheduler_core.framework.incremental.numpy.raw_counts import RawCounts

N_ROWS = 120


def array(scores: list[int]) -> np.ndarray:
    return np.array(scores, dtype=np.int64)


@pytest.mark.parametrize("n_scores", [1, 2, 30])
@pytest.mark.parametrize("seed", range(8))
def test_counts_follow_the_rows(seed, n_scores):
    random, counts = Random(seed), RawCounts()
    rows = [random.randrange(-5, n_scores - 5) for _ in range(N_ROWS)]
    counts.fill(array(rows))
    for _ in range(60):
        n = random.choice((1, 10, 60))
        some = random.sample(range(len(rows)), min(n, len(rows) - 1))
        before = array([rows[row] for row in some])
        what = random.choice(("move", "one score", "lose", "gain"))
        if what == "lose" and len(rows) > N_ROWS:
            counts.change(before, -1)
            rows = [score for row, score in enumerate(rows) if row not in set(some)]
        elif what == "gain":
            counts.change(before, 1)
            rows += before.tolist()
        else:
            after = [random.randrange(-5, n_scores - 5) for _ in some]
            found = array(after) if what == "move" else broadcast(after[0], len(some))
            assert counts.move(before, found) == (before.tolist() != found.tolist())
            for row, score in zip(some, found.tolist(), strict=True):
                rows[row] = score
        if counts.stale:
            counts.fill(array(rows))
        assert counts.by_score == Counter(rows)


@pytest.mark.parametrize("scores", [range(500), (0, 1 << 40)])
def test_too_many_or_too_distant_scores_are_not_counted(scores):
    counts = RawCounts()
    counts.fill(array([*scores] * 20))
    assert counts.by_score is None
    counts.fill(array([1, 2]))
    counts.change(array([*scores] * 20), 1)
    assert counts.by_score is None

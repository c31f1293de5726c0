"""Normalised scores, against the same computed from each raw score by itself."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from scheduler_core.framework.contracts import normalizers as nz
from tests.seeds import each_seed


def by_spread(raw: list[int]) -> list[int]:
    counted = [score for score in raw if score != nz.IGNORED]
    least, most = (min(counted), max(counted)) if counted else (0, 0)
    return [0 if s == nz.IGNORED else 100 * (most + least - s) // most if most else 100 for s in raw]


def by_min_max(raw: list[int]) -> list[int]:
    least, most = min(raw), max(raw)
    return [int(100.0 * (float(s - least) / float(most - least))) if most > least else 0 for s in raw]


@pytest.mark.parametrize("length", [1, 3, 400])
@each_seed(range(40), together=40)
def test_spread_and_min_max(seed, length):
    random = Random(seed)
    highest = random.choice((0, 1, 7, 90, 200, 10_000))
    ignored = random.choice((0.0, 0.3, 1.0))
    raw = [nz.IGNORED if random.random() < ignored else random.randint(0, highest) for _ in range(length)]
    scores = np.array(raw, dtype=np.int64)
    assert nz.normalize(nz.spread(scores), scores).tolist() == by_spread(raw)
    scores -= random.choice((0, 50))
    assert nz.normalize(nz.min_max(scores), scores).tolist() == by_min_max(scores.tolist())


@pytest.mark.parametrize(
    ("normalizer", "raw", "expected"),
    [
        pytest.param(nz.default, [0, 0, 0], [0, 0, 0], id="default of zeros stays"),
        pytest.param(nz.default, [0, 1, 2, 3], [0, 33, 66, 100], id="default by the largest"),
        pytest.param(nz.default_reversed, [0, 0, 0], [100, 100, 100], id="reversed of zeros is best everywhere"),
        pytest.param(nz.default_reversed, [0, 1, 2, 3], [100, 67, 34, 0], id="reversed by the largest"),
    ],
)
def test_default_normalisation_as_in_normalize_score_go(normalizer, raw, expected):
    scores = np.array(raw, dtype=np.int64)
    normalization = normalizer(scores)
    assert nz.normalize(normalization, scores).tolist() == expected

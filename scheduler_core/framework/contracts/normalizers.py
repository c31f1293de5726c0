"""The closed list of normalisers: how raw scores become 0..100 with a few recorded parameters.

Since they are pure, a recording stores raw scores and parameters only. Sources: plugins/helper/normalize_score.go,
podtopologyspread/scoring.go, interpodaffinity/scoring.go.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from scheduler_core.framework.contracts.verdicts import MAX_NODE_SCORE, Normalization

Scores = NDArray[np.int64]
IDENTITY, DEFAULT, DEFAULT_REVERSED, SPREAD, MIN_MAX, CUSTOM = (
    "identity",
    "default",
    "default_reversed",
    "spread",
    "min_max",
    "custom",
)
IGNORED = -1
"""Raw value that marks a node as ignored by topology spread."""
_WORTH_A_TABLE = 4
"""Scores are looked up in a table where rows are this many times more than values from the least to the greatest."""


def normalize(normalization: Normalization, raw: Scores) -> Scores:
    """Scores int64 of the same length; any number where raw is not between the least and the greatest of the params.

    Raises KeyError for an unknown kind.
    """
    if normalization.kind == CUSTOM:
        return np.asarray(normalization.values, dtype=np.int64)
    return _BY_KIND[normalization.kind](raw, normalization.params)


def default(raw: Scores, *, reverse: bool = False) -> Normalization:
    """Default normalisation, by the largest raw score (at least 0)."""
    return Normalization(DEFAULT_REVERSED if reverse else DEFAULT, (max(0, int(raw.max(initial=0))),))


def default_reversed(raw: Scores) -> Normalization:
    """The same, fewer being better."""
    return default(raw, reverse=True)


def min_max(raw: Scores) -> Normalization:
    """Stretch [min, max] to [0, 100]; all 0 when equal."""
    return Normalization(MIN_MAX, (int(raw.min()), int(raw.max()))) if len(raw) else Normalization()


def spread(raw: Scores) -> Normalization:
    """Low scores are good: 100 * (max + min - s) / max over nodes that are not ignored."""
    lowest, highest = (int(raw.min()), int(raw.max())) if len(raw) else (IGNORED, IGNORED)
    if highest == IGNORED:
        return Normalization(SPREAD, (0, 0))
    if lowest == IGNORED:
        lowest = int(raw[raw != IGNORED].min())
    return Normalization(SPREAD, (lowest, highest))


def _identity(raw: Scores, params: tuple[int, ...]) -> Scores:
    return raw


def _default(raw: Scores, params: tuple[int, ...]) -> Scores:
    (highest,) = params
    return raw if highest == 0 else MAX_NODE_SCORE * raw // highest


def _default_reversed(raw: Scores, params: tuple[int, ...]) -> Scores:
    (highest,) = params
    return np.full_like(raw, MAX_NODE_SCORE) if highest == 0 else MAX_NODE_SCORE - MAX_NODE_SCORE * raw // highest


def _spread(raw: Scores, params: tuple[int, ...]) -> Scores:
    lowest, highest = params
    if highest < len(raw) // _WORTH_A_TABLE:
        table = _spread_each(np.arange(IGNORED, highest + 1), lowest, highest)
        return table.take(raw - IGNORED, mode="clip")
    return _spread_each(raw, lowest, highest)


def _spread_each(raw: Scores, lowest: int, highest: int) -> Scores:
    scores = np.full_like(raw, MAX_NODE_SCORE) if highest == 0 else MAX_NODE_SCORE * (highest + lowest - raw) // highest
    return np.where(raw == IGNORED, 0, scores)


def _min_max(raw: Scores, params: tuple[int, ...]) -> Scores:
    lowest, highest = params
    if highest == lowest:
        return np.zeros_like(raw)
    if highest - lowest < len(raw) // _WORTH_A_TABLE:
        return _min_max_each(np.arange(lowest, highest + 1), lowest, highest).take(raw - lowest, mode="clip")
    return _min_max_each(raw, lowest, highest)


def _min_max_each(raw: Scores, lowest: int, highest: int) -> Scores:
    # upstream computes in float64 and truncates
    return (float(MAX_NODE_SCORE) * ((raw - lowest).astype(np.float64) / float(highest - lowest))).astype(np.int64)


_BY_KIND = {
    IDENTITY: _identity,
    DEFAULT: _default,
    DEFAULT_REVERSED: _default_reversed,
    SPREAD: _spread,
    MIN_MAX: _min_max,
}

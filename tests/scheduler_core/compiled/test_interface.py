"""Arguments that the table of C functions does not allow."""

from __future__ import annotations

import numpy as np
import pytest

from scheduler_core.compiled import kernel
from scheduler_core.compiled.interface import (
    BALANCED,
    LEAST_ALLOCATED,
)

compiled = kernel()
pytestmark = pytest.mark.skipif(compiled is None, reason="the compiled kernel was not built")


def array(values, dtype=np.int64):
    return np.array(values, dtype=dtype)


ROWS, FAR, SMALL = array([0, 1]), array([0, 99]), np.zeros(2, dtype=np.int32)
MATRIX = np.zeros((8, 4), dtype=np.int64)


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("union_of", ((SMALL,), ROWS.copy())),
        ("union_of", ((ROWS,), np.empty(1, dtype=np.int64))),
        ("union_of", ((array([-1]),), ROWS.copy())),
        ("union_of", ((), ROWS.copy())),
        ("union_of", ((ROWS, ROWS), np.empty(1, dtype=np.int64))),
        ("best", (np.zeros(0, dtype=np.int16),)),
        ("best", (ROWS,)),
        ("tied", (np.zeros(3, dtype=np.int16), "1", 2, 0)),
        ("tied", (np.zeros(3, dtype=np.int16), 0, 3)),
        ("follow", (FAR, ROWS, ROWS, ROWS, ROWS)),
        ("follow", (ROWS, FAR, ROWS, ROWS, ROWS)),
        ("tally", (FAR, ROWS, ROWS, ROWS, ROWS.copy())),
        ("tally", (ROWS, FAR, ROWS, ROWS, ROWS.copy())),
        ("tally", (ROWS, ROWS, ROWS[:1], ROWS, ROWS.copy())),
        ("sum_terms", ((), ROWS, None, -1, np.empty(3, dtype=np.int64))),
        ("sum_terms", (((np.zeros(1), FAR),), ROWS, None, -1, ROWS.copy())),
        ("sum_terms", (((np.zeros(1), ROWS),), FAR, None, -1, ROWS.copy())),
        ("first_codes", (((np.zeros(1, dtype=np.uint8), FAR),), ROWS, np.zeros(2, dtype=np.uint8))),
        ("first_codes", ((1,), ROWS, np.zeros(2, dtype=np.uint8))),
        ("short_of", (MATRIX, FAR, ROWS, ROWS, SMALL, ROWS.copy(), np.zeros(2, np.uint8), SMALL.copy())),
        ("short_of", (MATRIX, ROWS, array([7]), array([1]), np.zeros(4, np.int32), ROWS.copy(), np.zeros(2, np.uint8),
                      SMALL.copy())),
        ("score_resources", (LEAST_ALLOCATED, MATRIX, ROWS, array([8]), *(array([1]),) * 3, ROWS.copy())),
        ("score_resources", (9, MATRIX, ROWS, array([4]), array([5]), array([1]), array([1]), ROWS.copy())),
        ("score_resources", (BALANCED, MATRIX, ROWS, array([4]), array([5]), array([1]), array([1]), ROWS.copy())),
        ("count_pod", (MATRIX.copy(), 4, ROWS, ROWS, 1)),
        ("count_pod", (MATRIX.copy(), 0, FAR, ROWS, 1)),
        ("VerdictTable", (np.zeros((1, 2), np.uint8), np.zeros((1, 3), np.int32), np.zeros(2, np.int16),
                          np.zeros(2, bool), ROWS.copy())),
        ("ScoreTable", (MATRIX.copy(), np.zeros((8, 4), np.int16), np.zeros(4, np.int16), (0,), (1,), -1)),
        ("ScoreTable", (MATRIX.copy(), np.zeros((8, 4), np.int16), np.zeros(4, np.int16), (9,) * 8, (1,) * 8, -1)),
        ("GroupWriter", (5, 1, 2, 1, 1, (3,))),
        ("GroupWriter", (-1, 1, 2, 1, 1, (1,))),
    ],
)  # fmt: skip
def test_bad_arguments_are_refused(name, arguments):
    with pytest.raises((TypeError, ValueError, IndexError)):
        getattr(compiled, name)(*arguments)


def test_tables_refuse_bad_arguments():
    verdicts = compiled.VerdictTable(
        np.zeros((1, 2), np.uint8), np.zeros((1, 2), np.int32), np.zeros(2, np.int16), np.zeros(2, bool), ROWS.copy()
    )
    scores = compiled.ScoreTable(
        np.zeros((1, 2), np.int64), np.zeros((1, 2), np.int16), np.zeros(2, np.int16), (0,), (1,), -16_000
    )
    calls = [
        (verdicts.judge, (1, ROWS, None, None, ROWS.copy())),
        (verdicts.judge, (0, FAR, None, None, ROWS.copy())),
        (verdicts.judge, (0, ROWS, np.zeros(1, np.uint8), np.zeros(2, np.int32), ROWS.copy())),
        (verdicts.settle, (np.zeros(1, bool), ROWS.copy())),
        (scores.take_feasible, (np.zeros(1, bool),)),
        (scores.take, (0, FAR, ROWS)),
        (scores.take, (1, ROWS, ROWS)),
        (scores.take, (0, ROWS, np.zeros(3, np.int64))),
        (scores.settle, (1,)),
        (scores.params, (-1,)),
        (scores.moved, (ROWS.copy(),)),
        (scores.compare, (2, -1)),
    ]
    for call, arguments in calls:
        with pytest.raises((TypeError, ValueError, IndexError)):
            call(*arguments)

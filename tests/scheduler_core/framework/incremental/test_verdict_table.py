"""The verdict table's invariant: first refusals, feasible rows and counts of refusals."""

from __future__ import annotations

import itertools
from collections import Counter
from random import Random

import numpy as np
import pytest

from scheduler_core.framework.contracts.filter_outcome import PASSED
from scheduler_core.framework.contracts.status import Code
from scheduler_core.framework.contracts.verdicts import Verdicts
from scheduler_core.framework.incremental.verdict_table import VerdictTable, refusal_key, refusal_parts

pytestmark = pytest.mark.usefixtures("kernel_is_there")


def rows(*numbers):
    return np.array(numbers, dtype=np.int64)


def verdicts(codes, reasons):
    return Verdicts(np.array(codes, dtype=np.uint8), np.array(reasons, dtype=np.int32))


def test_the_worked_example_holds():
    table = VerdictTable(2, 3, np.arange(3))
    assert table.judge(1, rows(2), verdicts([2], [4])).tolist() == [2]
    assert table.codes[1].tolist() == [0, 0, 2]
    pieces, changed = table.settle()
    assert [piece.tolist() for piece in pieces] == [[2]]
    assert changed
    assert table.decisive.tolist() == [-1, -1, 1]
    assert table.feasible.tolist() == [True, True, False]
    assert {key: n for key, n in table.counts.items() if n} == {70: 1}
    assert table.block({0: "a status"}, [0])
    assert table.feasible.tolist() == [False, True, False]


def assert_invariant(table, order, blocked):
    counted = Counter()
    for row in order.tolist():
        first = next((i for i, codes in enumerate(table.codes) if codes[row]), PASSED)
        refused = first != PASSED
        code, reason = (int(table.codes[first, row]), int(table.reasons[first, row])) if refused else (0, 0)
        key = refusal_key(first, code, reason, len(table.codes)) if refused else 0
        assert (table.decisive[row], table.keys[row]) == (first, key)
        assert bool(table.feasible[row]) is (not refused and row not in blocked)
        counted[key] += 1
    del counted[0]
    assert {key: n for key, n in table.counts.items() if n} == counted


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("reasons", [1, 3], ids=["one reason per plugin", "several reasons"])
def test_after_any_history_the_invariant_holds(seed, reasons):
    random = Random(seed)
    n_plugins, n_rows = 3, 40
    order = np.array(sorted(random.sample(range(n_rows), 34 if seed % 2 else n_rows)), dtype=np.int64)
    table, blocked = VerdictTable(n_plugins, n_rows, order), {}
    for _ in range(40):
        for i in range(n_plugins):
            some = (
                order if random.random() < 0.2 else rows(*random.sample(order.tolist(), random.choice((1, 2, 6, 25))))
            )
            codes = [random.choice((0, 0, 2)) for _ in some]
            reason_numbers = [random.randrange(1, reasons + 1) + 3 * i if code else 0 for code in codes]
            table.judge(i, some, None if not any(codes) else verdicts(codes, reason_numbers))
        table.settle()
        if random.random() < 0.4:
            row = random.choice(order.tolist())
            if blocked.pop(row, None) is None:
                blocked[row] = "a status"
            table.block(blocked, [row])
        assert_invariant(table, order, blocked)


def test_the_worked_example_of_a_key_holds():
    assert refusal_key(1, 2, 4, n_plugins=3) == 104
    assert refusal_parts(104, 3) == (1, 2, 4)


def test_every_refusal_has_a_key_of_its_own_that_decodes_to_it():
    refusals = list(itertools.product(range(5), [int(code) for code in Code if code], range(40)))
    encoded = [refusal_key(*refusal, n_plugins=5) for refusal in refusals]
    assert min(encoded) > 0
    assert len(set(encoded)) == len(refusals)
    assert [refusal_parts(key, 5) for key in encoded] == refusals

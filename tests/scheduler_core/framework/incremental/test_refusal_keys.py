"""Refusals as numbers: what a key stands for, and whether a plugin ever refused with two."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from scheduler_core.framework.contracts.status import Code
from scheduler_core.framework.contracts.verdicts import Verdicts
from scheduler_core.framework.incremental.refusal_keys import RefusalKeys


def verdicts(*pairs):
    """Verdicts from (code, reason id) of each row."""
    codes, reasons = zip(*pairs, strict=True)
    return Verdicts(np.array(codes, dtype=np.uint8), np.array(reasons, dtype=np.int32))


def test_the_worked_example_holds():
    keys = RefusalKeys(3)
    assert keys.key(1, 2, 4) == 104
    assert keys.decode(104) == (1, 2, 4)


def test_every_refusal_has_a_key_of_its_own_that_decodes_to_it():
    keys = RefusalKeys(5)
    refusals = list(itertools.product(range(5), [int(code) for code in Code if code], range(40)))
    encoded = [keys.key(*refusal) for refusal in refusals]
    assert min(encoded) > 0
    assert len(set(encoded)) == len(refusals)
    assert [keys.decode(key) for key in encoded] == refusals


def test_keys_of_many_rows_are_those_of_each():
    keys, rows = RefusalKeys(4), [(2, 7), (3, 0), (1, 12)]
    found = keys.keys_of(2, *(np.array(column) for column in zip(*rows, strict=True)))
    assert found.tolist() == [keys.key(2, code, reason) for code, reason in rows]


@pytest.mark.parametrize(
    ("told", "single"),
    [
        pytest.param([verdicts((2, 4), (0, 0), (2, 4))], True, id="one refusal on several rows"),
        pytest.param([verdicts((0, 0))], True, id="no refusal"),
        pytest.param([verdicts((2, 4)), verdicts((2, 4), (0, 0))], True, id="the same refusal later"),
        pytest.param([verdicts((2, 4), (3, 4))], False, id="two codes"),
        pytest.param([verdicts((2, 4), (2, 5))], False, id="two reasons"),
        pytest.param([verdicts((2, 4)), verdicts((2, 5))], False, id="another reason later"),
    ],
)
def test_a_plugin_refuses_with_one_key_until_it_refuses_with_another(told, single):
    keys = RefusalKeys(3)
    for some in told:
        keys.note_all(1, some)
    assert keys.has_one(1) is single
    assert keys.are_single is single
    assert keys.has_one(0)


def test_the_first_key_of_each_plugin_is_at_hand_and_passing_rows_find_none():
    keys = RefusalKeys(2)
    keys.note(0, 2, 9)
    keys.note(0, 3, 1)
    assert keys.keys.tolist() == [keys.key(0, 2, 9), 0, 0]
    assert keys.refusing == [0]

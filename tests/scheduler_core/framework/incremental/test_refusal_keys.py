"""Refusals as numbers: what a key stands for."""

from __future__ import annotations

import itertools

from scheduler_core.framework.contracts.status import Code
from scheduler_core.framework.incremental.filter_cache import decode, refusal_key


def test_the_worked_example_holds():
    assert refusal_key(1, 2, 4, n_plugins=3) == 104
    assert decode(104, 3) == (1, 2, 4)


def test_every_refusal_has_a_key_of_its_own_that_decodes_to_it():
    refusals = list(itertools.product(range(5), [int(code) for code in Code if code], range(40)))
    encoded = [refusal_key(*refusal, n_plugins=5) for refusal in refusals]
    assert min(encoded) > 0
    assert len(set(encoded)) == len(refusals)
    assert [decode(key, 5) for key in encoded] == refusals

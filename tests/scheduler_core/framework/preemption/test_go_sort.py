"""Equal elements are left in the order in which Go's sort.Slice leaves them.

go_sorted.json was written by a Go program (go1.27) that sorted {key, index} by key: keys, then the resulting indexes.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scheduler_core.framework.preemption.go_sort import LONGEST_INSERTION, go_sorted

CASES = json.loads(Path(__file__).with_name("go_sorted.json").read_text())


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{len(case['keys'])} of {len(set(case['keys']))}")
def test_long_slices_are_sorted_as_go_sorts_them(case):
    keys = case["keys"]
    assert go_sorted(range(len(keys)), keys.__getitem__) == case["order"]


def test_some_of_them_are_not_stable():
    assert any(sorted(range(len(case["keys"])), key=case["keys"].__getitem__) != case["order"] for case in CASES)


@given(st.lists(st.integers(0, 3), max_size=200))
def test_the_result_is_sorted_and_short_slices_are_stable(keys):
    order = go_sorted(range(len(keys)), keys.__getitem__)
    assert sorted(order) == list(range(len(keys)))
    assert [keys[i] for i in order] == sorted(keys)
    if len(keys) <= LONGEST_INSERTION:
        assert order == sorted(range(len(keys)), key=keys.__getitem__)

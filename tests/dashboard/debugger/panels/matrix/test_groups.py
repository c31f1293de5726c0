"""Refused nodes in groups of equal verdicts."""

from __future__ import annotations

import pytest

from dashboard.debugger.panels.matrix.groups import VerdictGroup


@pytest.mark.parametrize(
    ("names", "text"),
    [(["n-1"], "n-1"), (["n-1", "n-2"], "n-1, n-2"), (["n-1", "n-2", "n-9"], "n-1 \N{HORIZONTAL ELLIPSIS} n-9")],
)
def test_a_group_is_named_by_its_node_by_both_or_by_the_first_and_the_last(names, text):
    group = VerdictGroup("0", len(names), names[0], names[-1], names, [], "Fit", "unsched", "full", ("full",), 0)
    assert group.range_text == text

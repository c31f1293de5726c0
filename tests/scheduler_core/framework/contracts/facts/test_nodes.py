"""A resource of a node: what is free, what is missing, and nodes that would not do even when empty."""

from __future__ import annotations

import pytest

from scheduler_core.framework.contracts.facts import ResourceFact


@pytest.mark.parametrize(
    ("asked", "allocatable", "requested", "promised", "free", "missing", "is_too_small"),
    [
        (2, 4, 1, 0, 3, 0, False),
        (3, 4, 2, 0, 2, 1, False),
        (3, 4, 4, 2, 2, 3, False),
        (5, 4, 0, 0, 4, 1, True),
        (1, 4, 6, 0, -2, 3, False),
    ],
    ids=["fits", "one too few", "promised to a nominated pod", "too small", "overcommitted"],
)
def test_amounts_follow_from_each_other(asked, allocatable, requested, promised, free, missing, is_too_small):
    fact = ResourceFact(resource="cpu", asked=asked, allocatable=allocatable, requested=requested, promised=promised)
    assert (fact.free, fact.missing, fact.is_too_small) == (free, missing, is_too_small)

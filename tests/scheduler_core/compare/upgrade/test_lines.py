"""The report of an upgrade for a terminal."""

from __future__ import annotations

import pytest

from scheduler_core.compare.upgrade.lines import why_text
from scheduler_core.compare.upgrade.model import Decided, PodUpgrade


@pytest.mark.parametrize(
    ("fields", "text"),
    [
        ({"reason": "behaviours", "by": ("a", "b")}, "by a and b"),
        ({"reason": "by run", "by": ("a",)}, "by a, as a run with it alone shows"),
        ({"reason": "follows", "follows": 7}, "follows from the difference of cycle 7"),
        ({"reason": "not tried"}, "not tried"),
        ({"reason": "not told apart"}, "not told apart by what was tried"),
    ],
)
def test_why_attempts_part_is_said_as_far_as_it_is_known(fields, text):
    assert why_text(PodUpgrade(pod="p", uid="", attempt=1, kind="other node", a=None, b=None, **fields)) == text


@pytest.mark.parametrize(
    ("fields", "text"),
    [
        ({"outcome": "scheduled", "node": "n1"}, "n1"),
        ({"outcome": "unschedulable", "nominated": "n1", "victims": ("a",)}, "room on n1 by evicting 1 pod"),
        ({"outcome": "unschedulable", "nominated": "n1", "victims": ("a", "b")}, "room on n1 by evicting 2 pods"),
        ({"outcome": "unschedulable"}, "no node"),
        ({"outcome": "skipped"}, "skipped"),
    ],
)
def test_what_an_attempt_came_to(fields, text):
    assert Decided(cycle=1, **fields).text == text

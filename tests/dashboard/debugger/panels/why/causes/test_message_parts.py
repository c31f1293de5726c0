"""kube-scheduler's message with the letters of what it counts."""

from __future__ import annotations

from dashboard.debugger.panels.why.causes.message_parts import message_parts
from tests.dashboard.debugger.panels.why.causes.diagnoses import hidden

MESSAGE = (
    "0/4 nodes are available: 1 node(s) had untolerated taint(s), 1 node(s) were unschedulable, 2 Insufficient cpu."
    " preemption: 0/4 nodes are available: 4 No preemption victims diagnosis for incoming pod."
)


def test_each_part_that_counts_an_obstacle_has_its_letter_and_nothing_is_lost():
    parts = message_parts(MESSAGE, hidden())
    assert "".join(part.text for part in parts) == MESSAGE
    assert [(part.text, "".join(one.text for one in part.letters), part.is_lit) for part in parts if part.letters] == [
        ("1 node(s) had untolerated taint(s)", "B", False),
        ("1 node(s) were unschedulable", "C", False),
        ("2 Insufficient cpu", "A", True),
    ]


def test_without_a_cause_the_message_is_one_part():
    (whole,) = message_parts("0/4 nodes", None)
    assert (whole.text, whole.letters) == ("0/4 nodes", ())
    assert message_parts("", hidden()) == ()

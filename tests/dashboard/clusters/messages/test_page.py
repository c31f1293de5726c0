"""Parts have letters where they stand for obstacles, numbers elsewhere."""

from __future__ import annotations

from dashboard.clusters.messages.page import SHOWN, headline, shown_messages
from scheduler_core.explain.messages import explain_messages

LINE = "0/3 nodes are available: 1 Insufficient cpu, 2 odd words. preemption: 0/3 nodes are available: 3 No room."


def test_letters_and_numbers():
    answer = explain_messages(LINE)
    (shown,) = shown_messages(answer)
    first, *others = shown.parts
    assert (first.mark, first.is_obstacle, first.look) == ("A", True, "is-obstacle")
    assert [(part.mark, part.look) for part in others] == [("1", "is-strange"), ("2", "is-strange")]
    assert headline(answer) == "1 Insufficient cpu"


def test_many_and_none():
    many = explain_messages("\n".join([LINE] * (SHOWN + 3)))
    assert len(shown_messages(many)) == SHOWN
    none = explain_messages("")
    assert shown_messages(none) == []
    assert headline(none)

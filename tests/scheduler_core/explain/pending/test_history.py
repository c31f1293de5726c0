"""What happened between a pod's attempts."""

from __future__ import annotations

from scheduler_core.simulate import TimelineEntry
from scheduler_core.testing.builders import make_node, make_pod
from tests.scheduler_core.explain.pending.pending_pods import why_pending_of

SECOND = 1_000_000


def test_between_attempts_stands_what_happened_and_whether_the_verdicts_changed() -> None:
    entries = (
        TimelineEntry(at=5 * SECOND, action="put", object=make_node("m", cpu="2")),
        TimelineEntry(at=9 * SECOND, action="put", object=make_node("k", cpu="1")),
    )
    answer = why_pending_of([make_node("n", cpu="1")], [make_pod("big", cpu="3"), make_pod("p", cpu="2")], "p", entries)
    (between,) = answer.between
    assert (between.changes, between.same_verdicts) == (("node m added",), False)
    assert between.span_us == answer.attempts[1].at - answer.attempts[0].at
    assert (answer.attempts[1].woken_by, answer.attempts[1].woken_plugin) == ("NodeAdd", "NodeResourcesFit")
    assert answer.state == "placed"
    assert answer.node == "m"


def test_the_same_verdicts_are_told_as_such() -> None:
    entries = (TimelineEntry(at=5 * SECOND, action="delete", object=make_pod("tiny", cpu="500m", node_name="n")),)
    pods = [make_pod("tiny", cpu="500m", node_name="n"), make_pod("p", cpu="4")]
    answer = why_pending_of(
        [make_node("n", cpu="4"), make_node("m", cpu="1")], [*pods, make_pod("q", cpu="4", node_name="n")], "p", entries
    )
    assert [one.same_verdicts for one in answer.between] == [True]

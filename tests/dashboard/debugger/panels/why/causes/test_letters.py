"""The letter of each obstacle, which is one for the sentence, the matrix, the message and the remedies."""

from __future__ import annotations

from dashboard.debugger.panels.why.causes.letters import LETTERS, Lettering, message_parts
from scheduler_core.explain.diagnosis.model import Diagnosis
from tests.dashboard.debugger.panels.why.causes.diagnoses import CORDON, CPU, TAINT, cause, group, hidden, obstacle


def test_the_cause_comes_first_and_is_lit():
    letters = Lettering(hidden())
    assert [(one.text, one.is_lit) for one in letters.of([TAINT.key, CORDON.key, CPU.key])] == [
        ("A", True),
        ("B", False),
        ("C", False),
    ]
    assert letters.of([TAINT.key])[0].title == "taint control-plane"


def test_one_obstacle_needs_no_letter_and_a_cause_that_refuses_no_node_has_none():
    alone = Diagnosis(cause=cause(CPU), groups=(group(["a"], CPU),), obstacles=(CPU,))
    assert Lettering(alone).of([CPU.key]) == ()
    cleared = obstacle("NOMINATED_WAITS")
    diagnosis = Diagnosis(cause=cause(cleared), groups=(group(["a"], CPU, TAINT),), obstacles=(cleared, CPU, TAINT))
    letters = Lettering(diagnosis)
    assert letters.of([cleared.key]) == ()
    assert [(one.text, one.is_lit) for one in letters.of([CPU.key, TAINT.key])] == [("A", False), ("B", False)]


def test_there_are_five_letters():
    many = [obstacle("TAINT_UNTOLERATED", f"key-{i}:NoSchedule") for i in range(7)]
    diagnosis = Diagnosis(cause=cause(many[0]), groups=(group(["a"], *many),), obstacles=tuple(many))
    assert "".join(one.text for one in Lettering(diagnosis).of(one.key for one in many)) == LETTERS


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

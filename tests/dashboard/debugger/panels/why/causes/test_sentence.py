"""The sentence of a cause in its parts, and the other readings beside it."""

from __future__ import annotations

import msgspec
import pytest
from django.template.loader import render_to_string

from dashboard.debugger.panels.why.causes.sentence import (
    HEADING,
    SHOWN,
    SHOWN_DOUBTS,
    cause_view,
    heading_of,
)
from scheduler_core.explain.diagnosis.model import Diagnosis
from scheduler_core.explain.doubt import AnswerDoubt, NamedObjects
from tests.dashboard.debugger.panels.why.causes.diagnoses import CORDON, CPU, TAINT, cause, hidden, obstacle


def test_the_sentence_has_its_letter_what_it_opens_of_how_many_and_the_second_reading():
    view = cause_view(hidden(), 4)
    (part,) = view.parts
    assert ([one.text for one in part.letters], part.detail) == (["A"], "")
    assert "cpu" in part.heading
    assert ("2 of 4" in view.opens, view.rest.endswith("a, b.")) == (True, True)
    assert (view.codes, view.actor, view.is_several) == (("SHORT_CPU",), "workload", False)
    (row,) = view.rows
    assert ([one.text for one in row.letters], row.is_equal) == (["A", "B"], False)
    assert "1 of 4" in row.opens


def test_several_obstacles_are_parts_and_equal_sets_come_before_second_readings():
    equal, second = cause(CPU, CORDON, opens=("c",)), cause(CORDON)
    diagnosis = hidden()
    diagnosis = msgspec.structs.replace(
        diagnosis, cause=cause(CPU, TAINT, opens=("a",), either=(equal,), also=(second,))
    )
    view = cause_view(diagnosis, 4)
    assert [one.letters[0].text for one in view.parts] == ["A", "B"]
    assert view.is_several
    assert view.rest == "", "what removing them does is said of each set"
    assert [row.is_equal for row in view.rows] == [True, False]


def test_two_readings_are_shown_and_the_others_open():
    diagnosis = msgspec.structs.replace(hidden(), cause=cause(CPU, also=tuple(cause(TAINT) for _ in range(SHOWN + 3))))
    view = cause_view(diagnosis, 4)
    assert (len(view.rows), len(view.more)) == (SHOWN, 3)


@pytest.mark.parametrize(
    ("stage", "opens"), [("queue", "then fits on 1 of 3 nodes"), ("filter", "opens 1 of 3 nodes"), ("postfilter", "")]
)
def test_what_it_opens_is_said_by_stage(stage, opens):
    diagnosis = Diagnosis(cause=cause(obstacle("GATED"), opens=("a",), stage=stage))
    assert cause_view(diagnosis, 3).opens == opens


@pytest.mark.parametrize(("between", "end", "begins"), [("; ", ".", "Y"), (": ", ":", "y")])
def test_of_a_long_text_the_first_clause_is_the_heading(between, end, begins):
    head, rest = "x" * (HEADING - 10), "y" * 40
    heading, detail = heading_of(f"{head}{between}{rest}")
    assert (heading, detail) == (f"X{head[1:]}{end}", f"{begins}{rest[1:]}.")
    assert heading_of("tier=gold: no node") == ("Tier=gold: no node.", "")
    assert heading_of("did you?")[0].endswith("?")


def test_a_cause_without_a_text_of_its_obstacle_says_its_sentence():
    view = cause_view(Diagnosis(cause=cause(text="No node.")), 0)
    assert ([part.heading for part in view.parts], view.rest, view.opens) == (["No node."], "", "")


QUOTA = NamedObjects(1, ("v1/ResourceQuota/a/q",))


@pytest.mark.parametrize(("count", "shown"), [(0, 0), (SHOWN_DOUBTS + 1, SHOWN_DOUBTS + 1), (5, SHOWN_DOUBTS)])
def test_of_many_doubts_some_are_folded(count, shown):
    doubts = tuple(AnswerDoubt(code="NOT_PLAYED", text=f"Quota q{i} is not played: so") for i in range(count))
    view = cause_view(msgspec.structs.replace(hidden(), doubts=doubts), 4)
    assert (len(view.doubts), len(view.more_doubts)) == (shown, count - shown)


@pytest.mark.parametrize("count", [0, 1, 5])
def test_doubts_stand_beside_the_sentence(count):
    doubts = tuple(
        AnswerDoubt(code="NOT_PLAYED", objects=QUOTA, text=f"quota q{i} is not played: so") for i in range(count)
    )
    view = cause_view(msgspec.structs.replace(hidden(), doubts=doubts), 4)
    page = render_to_string("debugger/why/_sentence.html", {"cause": view})
    assert page.count("is not played</b>: so") == count
    assert page.count('title="v1/ResourceQuota/a/q"') == count
    assert ('aria-label="Doubts"' in page) == bool(count)


def test_words():
    view = cause_view(hidden(), 4)
    assert [view.parts[0].heading, view.opens, view.rest, view.rows[0].opens] == [
        "Too little cpu: it asks for 2.",
        "opens 2 of 4 nodes",
        "Nothing else keeps it off a, b.",
        "opens 1 of 4 nodes",
    ]

"""The cause of the shown attempt on the page, and what is recorded until it is known."""

from __future__ import annotations

import pytest

from dashboard.answers.questions import UntriedOf, WhyOf
from dashboard.debugger.answer_views import page_of_parts
from dashboard.debugger.cursor.cursor import cursor_of
from dashboard.runs.models import Cycle
from scheduler_core.recording.state import PermitWait
from tests.dashboard.debugger.conftest import page_of


def answered(run, **query):
    return page_of_parts(cursor_of(run, "team", {name: str(value) for name, value in query.items()}), {})


def test_the_cause_is_asked_of_an_attempt_that_found_no_node_once_it_is_over(run, cycle_of):
    cycle = cycle_of("never-0").number
    assert page_of(run, cycle=cycle).why.question == WhyOf(cycle)
    assert page_of(run, cycle=cycle, point="Filter").why.question is None
    assert page_of(run, cycle=cycle_of("small-0").number).why.question is None


def test_what_keeps_a_pod_from_being_tried_is_asked_but_not_where_it_is_placed_or_in_turn(run, cycle_of):
    head = run.head.seq
    assert page_of(run, seq=head, pod="default/gated-0").why.question == UntriedOf("default/gated-0", head)
    assert page_of(run, seq=head, pod="default/fill-a").why.question is None
    assert page_of(run, seq=cycle_of("small-0").first_seq, pod="default/small-3").why.question is None


def test_of_a_pod_that_waits_at_permit_it_is_asked_as_of_the_cursor(run, cycle_of):
    cycle = cycle_of("small-0").number
    page = page_of(run, seq=run.head.seq, pod="default/small-0")
    page.moment.state.waiting["default/small-0"] = PermitWait(
        "full-a", ("Gang",), page.moment.state.at, since=page.moment.state.at
    )
    try:
        assert page.why.question == WhyOf(cycle, run.head.seq)
    finally:
        del page.moment.state.waiting["default/small-0"]


def test_a_page_that_does_not_ask_at_once_has_what_is_recorded(run, cycle_of):
    page = page_of(run, cycle=cycle_of("never-0").number)
    assert (page.why.diagnosis, page.why.sentence, page.why.obstacles) == (None, None, None)
    assert [step.name for step in page.why.stages if step.look == "here"] == ["Filter"]
    assert [(one.plugin, one.count) for one in page.attempt.recorded.refusals] == [
        ("NodeResourcesFit", 2),
        ("TaintToleration", 1),
    ]
    assert page.attempt.refused_first == "NodeResourcesFit 2, TaintToleration 1"
    assert (page.attempt.short_resource, page.why.is_to_come) == ("cpu", True)
    assert "".join(part.text for part in page.why.message_parts) == page.attempt.cycle.finished.message


def test_with_the_answer_sentence_stage_and_groups_are_of_one_diagnosis(run, cycle_of):
    page = answered(run, cycle=cycle_of("never-0").number)
    assert page.why.sentence.codes == page.why.diagnosis.cause.codes == ("TOO_LARGE",)
    assert [step.name for step in page.why.stages if step.look == "here"] == ["Filter"]
    assert page.why.obstacles.n_nodes == 3


@pytest.mark.parametrize(("name", "node"), [("small-0", True), ("never-0", False), ("big-0", False)])
def test_a_placed_pod_has_a_placement_instead_of_a_cause(run, cycle_of, name, node):
    page = page_of(run, cycle=cycle_of(name).number)
    assert (page.why.placement is not None) == node
    if node:
        cycle = cycle_of(name)
        assert (page.why.placement.node, page.why.placement.attempt) == (cycle.node, cycle.attempt)
        assert [step.word for step in page.why.stages if step.look == "here"] == [cycle.node]


def test_a_pod_that_the_input_has_on_a_node_is_placed_without_an_attempt(run):
    page = page_of(run, seq=1, pod="default/fill-a")
    assert (page.why.placement.node, page.why.placement.attempt) == ("full-a", 0)


def test_after_its_second_attempt_a_preemptor_is_placed(run):
    last = Cycle.objects.filter(run_id=run.pk, pod="default/big-0").latest("number")
    placement = page_of(run, cycle=last.number).why.placement
    assert (placement.node, placement.attempt) == (last.node, 2)

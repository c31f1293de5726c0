"""How much room was missing in refused cycles: asked for together, computed once for each cycle."""

from __future__ import annotations

import pytest

from dashboard.answers.answering.missing import missing_in
from dashboard.answers.answering.sessions import Sessions
from dashboard.answers.answering.source import Source
from dashboard.answers.answering.time_limit import TimeLimit
from dashboard.answers.asking import ask, deadline_of
from dashboard.answers.outcomes import Answer, Failed
from dashboard.answers.questions import MissingInCycles
from dashboard.runs.models import Cycle
from scheduler_core.explain.pending.missing import MissingRoom
from tests.dashboard.run_helpers import node, pod


def refused_run(execute):
    pods = [*(pod(f"web-{i}", "1") for i in range(3)), pod("large", "3"), pod("picky", "1", nodeSelector={"a": "b"})]
    return execute([node("a", "4"), *pods], schedule="pending", slug="one")


def cycles_of(run, name):
    return tuple(Cycle.objects.filter(run_id=run.pk, pod=f"default/{name}").values_list("number", flat=True))


@pytest.mark.slow
def test_cycles_that_lacked_room_say_of_what_and_how_much(execute):
    run = refused_run(execute)
    large, every = cycles_of(run, "large"), (*cycles_of(run, "large"), *cycles_of(run, "picky"), 1)
    question = MissingInCycles(every)
    answer = ask(run, question, deadline_of(question))
    assert isinstance(answer, Answer), answer
    assert answer.value.cycles == {number: MissingRoom("cpu", 3000, 2000, 2000, 1) for number in large}
    assert len(answer.value.cycles) == len(large) >= 1


def test_a_cycle_that_is_not_recorded_is_said(execute):
    run, question = refused_run(execute), MissingInCycles((999,))
    answer = ask(run, question, deadline_of(question))
    assert isinstance(answer, Failed)
    assert "there is no cycle 999" in answer.text


def test_a_cycle_is_computed_once_and_what_there_was_no_time_for_the_next_time(execute):
    run = refused_run(execute)
    source, (first, *_) = Source(run, Sessions(2**40)), cycles_of(run, "large")
    in_time, late = TimeLimit(float("inf")), TimeLimit(0.0)
    assert missing_in(source, MissingInCycles((first,)), late).cycles == {}
    assert late.was_hit
    in_time_answer = missing_in(source, MissingInCycles((first,)), in_time)
    late = TimeLimit(0.0)
    assert missing_in(source, MissingInCycles((first,)), late) == in_time_answer
    assert in_time_answer.cycles
    assert not late.was_hit

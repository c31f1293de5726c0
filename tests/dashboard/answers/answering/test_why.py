"""What keeps a pod off nodes, as the answer worker says it: the diagnosis that the command line prints."""

from __future__ import annotations

import time

import pytest

from dashboard.answers.asking import ask
from dashboard.answers.questions import UntriedOf, WhyOf
from dashboard.runs.inputs import load_inputs
from dashboard.runs.models import Cycle
from dashboard.runs.storage import recordings
from scheduler_core.explain.cause import diagnosis_at
from scheduler_core.explain.pending import attempt_history
from scheduler_core.explain.sessions import TrialsOf
from tests.dashboard.run_helpers import node, pod


def answered(run, question):
    return ask(run, question, time.time() + 30).value


def of_command_line(run, cycle):
    """Return the core's diagnosis as of the end of a cycle, of the whole recording."""

    def read(reader):
        inputs = load_inputs(run)
        history = attempt_history(reader, inputs, cycle.pod, cycle.last_seq + 1, cycle.pod_uid or "")
        return diagnosis_at(TrialsOf(reader, inputs), history, history.attempts[-1])

    return recordings.read(run.pk, read)


@pytest.mark.slow
def test_it_is_that_of_the_command_line_whichever_cycle_was_asked_before(run):
    refused = list(Cycle.objects.filter(run_id=run.pk, outcome="unschedulable").order_by("number"))
    for cycle in (*refused, *reversed(refused)):
        assert answered(run, WhyOf(cycle.number)) == of_command_line(run, cycle)
    assert len(refused) > 1


def test_the_cause_opens_nodes_and_each_refused_node_is_in_one_group(run, cycle_of):
    why = answered(run, WhyOf(cycle_of("never-0").number))
    assert (why.cause.codes, why.cause.stage, why.cause.actor) == (("TOO_LARGE",), "filter", "workload")
    assert why.cause.opens.names == ("full-a", "full-b")
    assert sorted(name for group in why.groups for name in group.nodes) == ["full-a", "full-b", "taint-c"]
    assert [one.codes for one in why.cause.also] == []


def test_room_that_is_cleared_is_the_cause_of_a_pod_that_preempts(run, cycle_of):
    why = answered(run, WhyOf(cycle_of("big-0").number))
    assert (why.cause.codes, why.cause.stage) == (("NOMINATED_WAITS",), "postfilter")
    assert why.groups


def test_gates_are_those_of_the_pod_and_a_pod_that_is_not_there_has_no_cause(run):
    gated = answered(run, UntriedOf("default/gated-0", run.head.seq)).cause
    assert [(one.code, one.needs) for one in gated.obstacles] == [("GATED", {"name": "example.org/hold"})]
    assert gated.opens.count
    assert answered(run, UntriedOf("default/nobody", run.head.seq)) is None


def test_a_pod_on_a_node_has_no_cause_of_not_being_tried(run):
    assert answered(run, UntriedOf("default/fill-a", 0)) is None


def test_a_pod_of_another_scheduler_is_outside(execute):
    run = execute([node("a", "4"), pod("ours", "1"), pod("other-0", "1", schedulerName="volcano")], slug="foreign")
    cause = answered(run, UntriedOf("default/other-0", run.head.seq)).cause
    assert (cause.codes, cause.stage) == (("OTHER_SCHEDULER",), "outside")

"""What stood against a pod, as the answer worker says it, and the gates of one that was not tried."""

from __future__ import annotations

import time

from dashboard.answers.asking import ask
from dashboard.answers.questions import UntriedOf, WhyOf
from dashboard.runs.inputs import load_inputs
from dashboard.runs.models import Cycle
from dashboard.runs.storage import recordings
from scheduler_core.explain.pending import history_of, why_pending


def answered(run, question):
    return ask(run, question, time.time() + 30).value


def test_groups_are_those_of_the_whole_answer_whichever_cycle_was_asked_before(run):
    refused = list(Cycle.objects.filter(run_id=run.pk, outcome="unschedulable").order_by("number"))
    for cycle in (*refused, *reversed(refused)):

        def groups_at(reader, cycle=cycle):
            history = history_of(reader, load_inputs(run), cycle.pod, cycle.last_seq + 1, cycle.pod_uid or "")
            return why_pending(reader, history)

        assert answered(run, WhyOf(cycle.number)).groups == recordings.read(run.pk, groups_at).groups
    assert len(refused) > 1


def test_what_the_pod_requests_and_its_selectors_leave_comes_with_them(run, cycle_of):
    why = answered(run, WhyOf(cycle_of("never-0").number))
    assert why.requests == {"cpu": 64_000, "memory": 128 * 2**20}
    assert (why.selected.name, why.selected.selector) == ("", "")


def test_a_cycle_that_found_a_node_has_the_nodes_that_refused(run, cycle_of):
    why = answered(run, WhyOf(cycle_of("small-0").number))
    assert ("taint-c",) in [group.nodes for group in why.groups]


def test_gates_are_those_of_the_pod_and_none_of_a_pod_that_is_not_there(run):
    assert answered(run, UntriedOf("default/gated-0", run.head.seq)).gates == ("example.org/hold",)
    assert answered(run, UntriedOf("default/nobody", run.head.seq)).gates == ()

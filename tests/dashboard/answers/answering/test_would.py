"""Whether a change of one's own would help, asked of an answer worker."""

from __future__ import annotations

import time

import pytest

from dashboard.answers.asking import ask
from dashboard.answers.questions import WouldHelpOf
from dashboard.runs.inputs import load_inputs
from dashboard.runs.storage import recordings
from scheduler_core.explain.pending.own_change import own_change, would_change_help
from scheduler_core.explain.sessions import at_seq


def answered(run, cycle, change, pod="default/never-0"):
    return ask(run, WouldHelpOf(pod, cycle.last_seq + 1, change), time.time() + 30).value


@pytest.mark.parametrize("change", ["grow-node full-a cpu=80", "untaint-node taint-c gpu", "request cpu=1"])
def test_the_answer_is_that_of_the_queue_behind_the_attempt_and_stays_the_same(run, cycle_of, change):
    cycle = cycle_of("never-0")

    def restored(reader):
        return would_change_help(
            at_seq(reader, load_inputs(run), cycle.last_seq + 1), "default/never-0", own_change(change)
        )

    first = answered(run, cycle, change)
    assert first == recordings.read(run.pk, restored, run.head)
    assert answered(run, cycle, "grow-node full-b cpu=90").effect.node == "full-b"
    assert answered(run, cycle, change) == first


def test_what_cannot_be_asked_is_said_with_its_field(run, cycle_of):
    cycle = cycle_of("never-0")
    assert answered(run, cycle, "add-node nowhere").field == "name"
    assert answered(run, cycle, "grow-node full-a cpu").field == "value"
    unknown = answered(run, cycle, "remove-gates", "default/small-0")
    assert unknown.problem == "default/small-0 does not wait in the queue at this moment"

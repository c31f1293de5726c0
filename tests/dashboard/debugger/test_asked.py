"""The page says of an attempt what the command line says, though it reads rows and the other the whole recording."""

from __future__ import annotations

import pytest

from dashboard.runs import demo, execution
from dashboard.runs.actions import find_run
from dashboard.runs.inputs import load_inputs
from dashboard.runs.models import Cycle
from dashboard.runs.storage import recordings
from scheduler_core.explain.pending import attempt_history, why_pending
from tests.dashboard.debugger.conftest import page_of


@pytest.fixture
def teaching(workspace, editor):
    """The run of the demo to learn from."""
    started = demo.load_teaching(editor.member)
    while execution.work():
        pass
    return find_run(workspace, started.number)


def core_answer(run, cycle):
    """Return the core's answer about a cycle's pod as of the end of that cycle, of the whole recording."""

    def read(reader):
        history = attempt_history(reader, load_inputs(run), cycle.pod, cycle.last_seq + 1, cycle.pod_uid or "")
        return why_pending(reader, history, None)

    return recordings.read(run.pk, read)


@pytest.mark.slow
def test_page_and_command_line_say_the_same_of_all_pending_pods(teaching):
    refused = Cycle.objects.filter(run_id=teaching.pk, outcome="unschedulable").order_by("number")
    last = {(cycle.pod, cycle.pod_uid): cycle for cycle in refused}
    for cycle in last.values():
        page, answer = page_of(teaching, cycle=cycle.number), core_answer(teaching, cycle)
        shown = [one for one in page.pod.tried if one.cycle <= cycle.number]
        assert answer.state == "pending"
        assert [(one.cycle, one.woken_by, one.woken_plugin) for one in shown] == [
            (one.cycle, one.woken_by, one.woken_plugin) for one in answer.attempts
        ]
        if answer.attempts[-1].refusals:
            assert page.attempt.recorded.refusals == answer.attempts[-1].refusals
        changes = [row.change for row in page.pod.attempt_log.rows if row.change and row.attempt.cycle <= cycle.number]
        assert changes == list(answer.between)[-len(changes) :] if changes else not answer.between
    assert len(last) > 5
    assert any(len(core_answer(teaching, cycle).attempts) > 2 for cycle in last.values())

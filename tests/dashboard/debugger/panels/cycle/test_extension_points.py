"""What is said of each extension point of a cycle."""

from __future__ import annotations

import pytest

from dashboard.debugger.cursor.cursor import TABS
from dashboard.runs import actions, execution, sessions
from dashboard.runs.actions import Launch
from dashboard.runs.models import Cycle, Run, State
from tests.dashboard.debugger.conftest import page_of
from tests.dashboard.run_helpers import node, pod


def said(run, cycle):
    return {point.name: point.label for point in page_of(run, cycle=cycle).attempt.cycle.points}


def test_binding_is_to_come_while_the_run_may_still_bind_the_pod(plain_run, editor, monkeypatch):
    advance = sessions.RunSession.advance
    monkeypatch.setattr(sessions.RunSession, "advance", lambda self, *limits: advance(self, max_cycles=5))
    monkeypatch.setattr(execution.waiting, "others", lambda run, seconds: True)
    live = actions.create_run(editor.member, Launch(plain_run.revision))
    execution.work()
    live = actions.find_run(live.workspace, live.number)
    last = Cycle.objects.filter(run_id=live.pk).order_by("-number").first()
    assert said(live, last.number)["Bind"] == "to come"
    # Stopped there, it never is.
    Run.objects.filter(pk=live.pk).update(state=State.CANCELLED)
    assert said(actions.find_run(live.workspace, live.number), last.number)["Bind"] == "not run"


def test_points_behind_a_refusal_did_not_run(run, cycle_of):
    text_of_point = said(run, cycle_of("never-0").number)
    assert (text_of_point["Filter"], text_of_point["Score"], text_of_point["Bind"]) == ("0 fit", "not run", "not run")


TERM = {"matchExpressions": [{"key": "g", "operator": "Gt", "values": ["-1"]}]}
UNPARSABLE = {"nodeAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": [{"weight": 1, "preference": TERM}]}}


@pytest.fixture
def failed(execute):
    """The first cycle of a pod whose preferences cannot be parsed, which PreScore notices."""
    run = execute([node("a"), node("b"), pod("bad", "1", affinity=UNPARSABLE), pod("good", "1")], schedule="pending")
    return run, Cycle.objects.filter(run_id=run.pk, pod="default/bad").order_by("number").first()


@pytest.mark.parametrize("tab", TABS)
def test_a_cycle_that_failed_behind_its_filters_can_be_opened(tab, failed, look):
    run, cycle = failed
    assert cycle.outcome == "error"
    assert look(run, cycle=cycle.number, tab=tab).status_code == 200


@pytest.mark.parametrize("tab", ["why", "story"])
def test_it_says_what_the_error_was(tab, failed, look):
    run, cycle = failed
    assert "running PreScore plugin" in look(run, cycle=cycle.number, tab=tab).content.decode()

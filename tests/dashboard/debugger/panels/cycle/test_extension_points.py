"""What is said of each extension point of a cycle."""

from __future__ import annotations

from dashboard.runs import actions, execution, sessions
from dashboard.runs.actions import Launch
from dashboard.runs.models import Cycle, Run, State
from tests.dashboard.debugger.conftest import page_of


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

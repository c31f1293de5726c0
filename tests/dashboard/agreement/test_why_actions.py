"""The run that answers why a pod of a dump waits: found or started."""

from __future__ import annotations

import pytest

from dashboard.agreement import why_actions
from dashboard.runs import actions, chosen, execution
from dashboard.runs.actions import Launch
from dashboard.runs.models import Run
from tests.dashboard.agreement.conftest import HERE, dump

ANSWER = "/w/team/runs/1/why/?pod=default/wide"
FOLLOW = f"{HERE}why/1/?pod=default/wide"


def ask(person, pod="default/wide", **more):
    return person.post(f"{HERE}why/", {"pod": pod, **more})


@pytest.mark.slow
def test_a_finished_run_of_the_same_revision_and_configuration_is_used_again(editor, dumped, messages, save):
    ask(editor)
    execution.work()
    assert ask(editor, "default/fits").headers["Location"] == "/w/team/runs/1/why/?pod=default/fits"
    save([*dump(), {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "more"}}])
    assert ask(editor).headers["Location"] == f"{HERE}why/2/?pod=default/wide"
    assert ask(editor, r="1").headers["Location"] == ANSWER


def test_a_run_that_was_stopped_is_told_and_another_is_started(editor, viewer, dumped, messages):
    ask(editor)
    actions.cancel_run(editor.member, Run.objects.get())
    page = viewer.get(FOLLOW)
    assert b"Run 1 is cancelled" in page.content
    assert b'hx-trigger="load' not in page.content
    assert ask(editor).headers["Location"] == f"{HERE}why/2/?pod=default/wide"


def test_the_run_is_made_with_the_configuration_of_the_clusters_newest_one(editor, dumped, messages):
    actions.create_run(editor.member, Launch(dumped, preset="pack-gpus"))
    run = why_actions.find_or_start_run(editor.member, dumped, "default/wide")
    assert (run.preset, run.number) == ("pack-gpus", 2)
    assert why_actions.fresh_run(dumped, chosen.ChosenConfiguration()) is None

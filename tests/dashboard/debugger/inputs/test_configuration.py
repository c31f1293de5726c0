"""The configuration of a run at a moment: that of its start, and behind a branch's change the changed one."""

from __future__ import annotations

import pytest

from dashboard.debugger.inputs.configuration import configuration_of
from dashboard.runs import actions
from dashboard.runs.branches.actions import Branching, branch_run
from scheduler_core.api.config import SchedulerConfiguration

pytestmark = pytest.mark.django_db

RENAMED = {
    "apiVersion": "kubescheduler.config.k8s.io/v1",
    "kind": "KubeSchedulerConfiguration",
    "profiles": [{"schedulerName": "somebody-else"}],
}


def test_without_a_change_it_is_that_of_the_start(run):
    assert configuration_of(run, 0) == configuration_of(run, run.head.seq) == SchedulerConfiguration()


def test_behind_a_change_it_is_the_changed_one(run, editor):
    made = branch_run(editor.member, run, Branching(50, ({"action": "configure", "configuration": RENAMED},)))
    made = actions.find_run(editor.member.workspace, made.number)
    assert configuration_of(made, 50) == SchedulerConfiguration()
    assert [one.scheduler_name for one in configuration_of(made, 51).profiles] == ["somebody-else"]
    assert configuration_of(made, 10) == configuration_of(run, 51) == SchedulerConfiguration()


def test_weights_of_a_branch_of_a_branch_are_those_of_the_configuration_there(run, editor):
    first = branch_run(editor.member, run, Branching(50, ({"action": "configure", "configuration": RENAMED},)))
    first.engine_version, first.head.seq = run.engine_version, run.head.seq
    how = Branching(60, weights={"NodeResourcesFit": 9}, profile="somebody-else")
    second = branch_run(editor.member, first, how)
    (profile,) = configuration_of(second, 61).profiles
    assert profile.scheduler_name == "somebody-else"
    assert [(one.name, one.weight) for one in profile.plugins["multiPoint"].enabled] == [("NodeResourcesFit", 9)]

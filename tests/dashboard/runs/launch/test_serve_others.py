"""Pods of schedulers that no profile serves: left pending, or decided as pods of a chosen profile."""

from __future__ import annotations

import pytest

from dashboard.common.problems import Problem
from dashboard.runs import actions, chosen, execution
from dashboard.runs.actions import Launch
from dashboard.runs.inputs import load_configuration
from dashboard.runs.launch.like_run import fields_like
from dashboard.runs.list.lines import line_of, run_url
from dashboard.runs.models import Run, State
from tests.dashboard.run_helpers import node, pod
from tests.dashboard.runs.launch.launch_pages import URL, post

pytestmark = pytest.mark.django_db


@pytest.fixture
def mixed(save):
    """A cluster with pods of two schedulers that wait."""
    return save([node("n"), pod("ours"), pod("theirs", schedulerName="volcano")])


def test_the_launch_page_counts_them_and_offers_the_profiles(editor, mixed):
    page = editor.get(URL).content.decode()
    assert "<b>volcano</b>" in page
    assert "so they stay pending." in page
    assert "are decided as pods of default-scheduler" in page
    assert "stay pending." not in editor.get(f"{URL}?serve_others=default-scheduler").content.decode()


@pytest.mark.parametrize(("profile", "scheduled"), [("", 1), ("default-scheduler", 2)])
def test_a_run_decides_them_on_request(editor, mixed, messages, profile, scheduled):
    assert post(editor, serve_others=profile).status_code == 302
    execution.work()
    run = Run.objects.select_related("head").get()
    assert (run.state, run.head.scheduled) == (State.FINISHED, scheduled)
    assert ("volcano as default-scheduler" in line_of(run).inputs) == bool(profile)
    page = editor.get(run_url(run), follow=True).content.decode()
    assert ("Pods for <bdi>volcano</bdi> are decided as pods of <bdi>default-scheduler</bdi>." in page) == bool(profile)


def test_the_runs_configuration_has_the_stand_in_and_another_run_of_its_inputs_too(editor, mixed, messages):
    run = actions.create_run(editor.member, Launch(mixed, serves_others="default-scheduler"))
    assert [one.scheduler_name for one in load_configuration(run).profiles] == ["default-scheduler", "volcano"]
    assert fields_like(run)["serve_others"] == "default-scheduler"
    assert actions.start_anew(editor.member, run).stand_ins == {"volcano": "default-scheduler"}
    assert not chosen.ChosenConfiguration().usable_runs(mixed).exists()


def test_a_profile_that_is_not_there_is_refused(editor, mixed):
    with pytest.raises(Problem, match="there is no profile nobody"):
        actions.create_run(editor.member, Launch(mixed, serves_others="nobody"))
    assert "there is no profile nobody" in post(editor, serve_others="nobody").content.decode()
    assert not Run.objects.exists()

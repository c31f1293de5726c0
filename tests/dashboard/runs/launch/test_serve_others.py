"""Pods of schedulers that no profile serves: left pending, or decided as pods of a chosen profile."""

from __future__ import annotations

import html

import pytest

from dashboard.common.problems import Problem
from dashboard.runs import actions, chosen, execution
from dashboard.runs.actions import Launch
from dashboard.runs.inputs import load_configuration
from dashboard.runs.launch.views import fields_like, not_taken_over
from dashboard.runs.list.lines import run_line, run_url
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
    assert "1 pod asks" in page
    assert "pods stay pending." in page
    assert '<option value="default-scheduler"' in page
    assert "left pending" in page
    assert "left pending" not in editor.get(f"{URL}?serve_others=default-scheduler").content.decode()
    assert "pods stay pending." not in editor.get(f"{URL}?serve_others=default-scheduler").content.decode()


@pytest.mark.parametrize(("profile", "scheduled"), [("", 1), ("default-scheduler", 2)])
def test_a_run_decides_them_on_request(editor, mixed, messages, profile, scheduled):
    assert post(editor, serve_others=profile).status_code == 302
    execution.work()
    run = Run.objects.select_related("head").get()
    assert (run.state, run.head.scheduled) == (State.FINISHED, scheduled)
    assert ("volcano as default-scheduler" in run_line(run).inputs) == bool(profile)
    page = editor.get(run_url(run), follow=True).content.decode()
    assert ("<bdi>volcano</bdi>" in page) == bool(profile)


def test_the_runs_configuration_has_the_stand_in_and_another_run_of_its_inputs_too(editor, mixed, messages):
    run = actions.create_run(editor.member, Launch(mixed, serves_others="default-scheduler"))
    assert [one.scheduler_name for one in load_configuration(run).profiles] == ["default-scheduler", "volcano"]
    assert fields_like(run)["serve_others"] == "default-scheduler"
    assert actions.start_anew(editor.member, run).stand_ins == {"volcano": "default-scheduler"}
    assert not chosen.ChosenConfiguration().usable_runs(mixed).exists()


def test_a_profile_that_is_not_there_is_refused(editor, mixed):
    with pytest.raises(Problem, match="no profile nobody"):
        actions.create_run(editor.member, Launch(mixed, serves_others="nobody"))
    assert "no profile nobody" in post(editor, serve_others="nobody").content.decode()
    assert not Run.objects.exists()


@pytest.fixture
def bound(save):
    """A cluster with bound pods of two schedulers, and one of the other that waits."""
    theirs = {"schedulerName": "volcano"}
    return save(
        [
            node("n", cpu="2"),
            node("m", cpu="2"),
            {**pod("ours", nodeName="n"), "status": {"phase": "Running"}},
            {**pod("theirs", nodeName="m", **theirs), "status": {"phase": "Running"}},
            pod("waits", **theirs),
        ]
    )


def test_pods_of_others_stay_bound_where_the_cluster_has_them(editor, bound, messages):
    every = editor.get(f"{URL}?schedule=all")
    assert every.context["preview"].to_schedule == {"pending": 1, "all": 3}
    assert "2 pods ask" in every.content.decode()
    assert 'value=":bound"' in every.content.decode()
    assert 'value=":bound"' not in editor.get(f"{URL}?schedule=pending").content.decode()
    shown = editor.get(f"{URL}?schedule=all&serve_others=:bound")
    assert shown.context["preview"].to_schedule == {"pending": 1, "all": 2}
    assert "bound stay so" in shown.content.decode()
    assert "left pending" in shown.content.decode()

    assert post(editor, schedule="all", serve_others=":bound").status_code == 302
    execution.work()
    run = Run.objects.select_related("head").get()
    assert (run.policies["other_schedulers"], run.stand_ins, run.head.scheduled) == ("bound", {}, 1)
    assert "other schedulers bound" in run_line(run).inputs
    assert "pods stay bound" in html.unescape(editor.get(run_url(run), follow=True).content.decode())
    assert fields_like(run)["serve_others"] == ":bound"
    assert not_taken_over(run) == []


def test_staying_bound_means_nothing_where_only_pending_pods_are_scheduled(editor, bound, messages):
    assert post(editor, schedule="pending", serve_others=":bound").status_code == 302
    assert "other_schedulers" not in Run.objects.get().policies


@pytest.mark.parametrize(
    ("query", "sentence"),
    [
        ("", "2 pods ask for <b>volcano</b>: no profile here has that name."),
        ("", "Without one, pods stay pending."),
        ("", "are decided as pods of default-scheduler"),
        ("", "3 of 3 to be scheduled, 2 of them left pending"),
        ("", "stay bound where the cluster has them"),
        ("&serve_others=:bound", "Those of them that are bound stay so"),
        ("&serve_others=:bound", "2 of 3 to be scheduled, 1 of them left pending"),
    ],
)
def test_words(editor, bound, query, sentence):
    assert sentence in editor.get(f"{URL}?schedule=all{query}").content.decode()


@pytest.mark.parametrize(
    ("serve_others", "sentence"),
    [
        ("default-scheduler", "Pods for <bdi>volcano</bdi> are decided as pods of <bdi>default-scheduler</bdi>."),
        (":bound", "other schedulers' pods stay bound"),
    ],
)
def test_words_of_a_run(editor, bound, messages, serve_others, sentence):
    post(editor, schedule="all", serve_others=serve_others)
    page = editor.get(run_url(Run.objects.get()), follow=True).content.decode()
    assert sentence in html.unescape(page)

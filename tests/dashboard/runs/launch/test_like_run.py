"""A launch form filled from a run: sent as it is, it starts a run with the same recording."""

from __future__ import annotations

import re

import pytest

from dashboard.runs import actions, execution
from dashboard.runs.actions import Launch
from dashboard.runs.branches.actions import Branching, branch_run
from dashboard.runs.launch.choices import list_choices
from dashboard.runs.launch.forms import LaunchForm
from dashboard.runs.launch.like_run import fields_like, not_taken_over
from dashboard.runs.lifecycle import waiting
from tests.dashboard.runs.launch.launch_pages import URL

pytestmark = pytest.mark.django_db

POLICIES = {"node_search": "configured", "cycle_us": 7_000, "job_running_us": None, "max_replacements": 3}


@pytest.fixture(autouse=True)
def _fresh(monkeypatch):
    """No message is sent."""
    monkeypatch.setattr(waiting, "_send", lambda name: None)


@pytest.fixture
def origin(editor, prod):
    """A run with inputs of its own throughout."""
    launch = Launch(
        prod,
        schedule="all",
        policies=POLICIES,
        seed=41,
        max_cycles=17,
        max_virtual_us=90_000_000,
    )
    run = actions.create_run(editor.member, launch)
    while execution.work():
        pass
    return actions.find_run(run.workspace, run.number)


def test_the_form_that_is_sent_as_it_is_starts_the_same_run(origin, editor, workspace):
    form = LaunchForm(list_choices(workspace), fields_like(origin))
    assert form.is_valid(), form.errors
    again = actions.create_run(editor.member, form.launch())
    while execution.work():
        pass
    again = actions.find_run(workspace, again.number)
    assert again.recording_hash == origin.recording_hash != ""
    assert (again.seed, again.max_cycles, again.max_virtual_us) == (41, 17, 90_000_000)
    assert {name: again.policies[name] for name in POLICIES} == POLICIES
    assert again.is_background == origin.is_background


def test_the_page_offers_the_seed_of_the_run_one_comes_from(origin, editor):
    page = editor.get(f"{URL}?from={origin.number}").content.decode()
    assert "seed of run" in page
    assert re.search(r'name="seed"\s+value="41"', page)
    other = editor.get(f"{URL}?from={origin.number}&seed=9").content.decode()
    assert "the seed 41" in other
    assert '{"seed": "41"}' in other


def test_what_was_chosen_since_stays_chosen(origin, editor):
    response = editor.get(f"{URL}?from={origin.number}&of_cluster=prod&cluster=prod&of_config=&config=&seed=5")
    assert response.context["form"].data["seed"] == "5"
    assert response.context["form"].data["max_cycles"] != "17"
    part = editor.get(
        f"{URL}?from={origin.number}&of_cluster=prod&cluster=prod",
        headers={"HX-Request": "true", "HX-Target": "launch"},
    )
    assert f"from={origin.number}" in part["HX-Replace-Url"]


def test_a_run_that_is_not_there_and_what_is_no_number_are_said(editor, prod):
    assert editor.get(f"{URL}?from=77").status_code == 404
    assert editor.get(f"{URL}?from=x").status_code == 400


def test_what_the_form_has_no_field_for_is_said(origin, editor):
    assert not_taken_over(origin) == []
    change = {"action": "set_policies", "policies": {"cycle_us": 9_000}}
    branch = branch_run(editor.member, origin, Branching(0, [change]))
    assert len(not_taken_over(actions.find_run(origin.workspace, branch.number))) == 1
    page = editor.get(f"{URL}?from={branch.number}").content.decode()
    assert "Not taken over: " in page


@pytest.mark.parametrize(
    ("query", "sentence"),
    [
        ("from=1", "The seed of run 1: where the same nodes are tied in both"),
        ("from=1&seed=9", "Run 1 has the seed 41"),
        ("from=2", "Not taken over: the changes of a branch."),
    ],
)
def test_words(origin, editor, query, sentence):
    change = {"action": "set_policies", "policies": {"cycle_us": 9_000}}
    branch_run(editor.member, origin, Branching(0, [change]))
    assert sentence in editor.get(f"{URL}?{query}").content.decode()

"""The launch page: what it offers and counts, what it refuses in which field, and the run that it starts."""

from __future__ import annotations

import re

import pytest

from dashboard.clusters.models import Cluster
from dashboard.clusters.revisions.object_store import Saving
from dashboard.documents import store
from dashboard.documents.actions import NewText
from dashboard.documents.configurations.actions import save_config
from dashboard.documents.models import SchedulerConfig
from dashboard.documents.timelines.actions import save_timeline
from dashboard.runs import actions, execution
from dashboard.runs.actions import Launch
from dashboard.runs.branches.actions import Branching, branch_run
from dashboard.runs.breakpoints.attachments import attached_to
from dashboard.runs.breakpoints.definitions import BreakpointFields, create_breakpoint, delete_breakpoint
from dashboard.runs.launch.choices import list_choices
from dashboard.runs.launch.forms import LaunchForm
from dashboard.runs.launch.views import fields_like, not_taken_over
from dashboard.runs.lifecycle import waiting
from dashboard.runs.models import Run, State
from scheduler_core.versions.trains import NEWEST_MEASURED
from tests.dashboard.helpers import assert_strict_csp
from tests.dashboard.run_helpers import cluster_of, node
from tests.dashboard.runs.launch.launch_pages import GOOD, URL, errors, post

pytestmark = pytest.mark.django_db

TIMELINE = """
entries:
- at: 1s
  action: add
  object: {apiVersion: v1, kind: Pod, metadata: {name: late, namespace: default}, spec: {containers: [{name: c}]}}
"""


def test_the_page_offers_what_fits(editor, prod):
    response = editor.get(URL + "?cluster=prod")
    page = response.content.decode()
    assert_strict_csp(page)
    assert response.context["preview"].to_schedule == {"pending": 3, "all": 3}
    assert response.context["schedule"] == "pending"
    assert "2 nodes" not in page
    assert 0 <= int(response.context["form"].data["seed"]) < 1_000_000
    assert "These fields need" not in page


def test_a_timeline_is_the_default_where_the_cluster_has_no_pods(editor, save, messages):
    revision = save([node("a")])
    save_timeline(editor.member, None, NewText("late pods", TIMELINE), revision)
    response = editor.get(URL)
    assert response.context["schedule"] == "timeline"
    answer = post(editor, schedule="timeline", timeline="late-pods", timeline_r="1")
    assert answer.status_code == 302
    run = Run.objects.get()
    assert (run.schedule, run.timeline_revision.timeline.name) == ("timeline", "late pods")
    execution.work()
    run = Run.objects.select_related("head").get()
    assert (run.state, run.head.bound) == (State.FINISHED, 1)
    assert (run.n_steps, run.head.steps_done) == (2, 2), "a pod, and the entry that brings it"


def test_a_run_starts_with_what_was_chosen(editor, prod, messages):
    config = save_config(editor.member, None, NewText("two profiles", GOOD))
    answer = post(
        editor,
        config="two-profiles",
        config_r="1",
        name="  mine ",
        node_search="configured",
        draw="smallest",
        victims="at_once",
        cycle_ms="2.5",
        terminating="stay",
        job_s="1.5",
        max_replacements="5",
        binding_ms="1",
        max_time="01:00:30",
        max_cycles="500",
        background="yes",
    )
    run = Run.objects.get()
    assert answer["Location"] == f"/w/team/runs/{run.number}/"
    assert (run.name, run.seed, run.config_revision, run.revision) == ("mine", 7, config, prod)
    assert (run.max_cycles, run.max_virtual_us, run.is_background) == (500, 3_630_000_000, True)
    assert run.policies == {
        "node_search": "configured",
        "draw": "smallest",
        "preemption_candidates": "configured",
        "victims": "at_once",
        "attempt_order": "queue",
        "queue": "hints",
        "event_names": "current",
        "kubernetes": NEWEST_MEASURED,
        "gates": "",
        "cycle_us": 2500,
        "binding_us": 1000,
        "unschedulable_stay_us": None,
        "terminating": "stay",
        "owners": "keep",
        "node_loss": "pods_go",
        "decided": "hold",
        "claims": "play",
        "rollouts": "play",
        "job_running_us": 1_500_000,
        "max_replacements": 5,
    }
    assert run.created_by == editor.user


@pytest.mark.parametrize(
    "query",
    ["cluster=nope", "cluster=prod&r=9", "cluster=prod&r=x", "cluster=elsewheres", "cluster=prod&r=" + "9" * 40],
)
def test_an_address_of_what_does_not_exist_is_not_found(editor, prod, save, stranger, query):
    save(cluster_of(1, 1), slug="elsewheres", place=stranger.user.memberships.get().workspace)
    response = editor.get(f"{URL}?{query}")
    assert response.status_code == 404
    assert_strict_csp(response.content)


def test_things_of_another_workspace_cannot_be_launched(editor, prod, save, stranger):
    theirs = stranger.user.memberships.get().workspace
    save(cluster_of(1, 1), slug="elsewheres", place=theirs)
    assert "cluster" in errors(post(editor, cluster="elsewheres"))
    config = SchedulerConfig.objects.create(workspace=theirs, name="theirs", slug="theirs")
    store.save_text(config, GOOD, Saving(None))
    assert "config" in errors(post(editor, config="theirs"))


def test_an_archived_cluster_is_not_offered(editor, prod):
    Cluster.objects.update(archived_at="2026-01-01T00:00:00Z")
    assert "No cluster yet" in editor.get(URL).content.decode()
    assert "cluster" in errors(post(editor))


def test_a_full_workspace_says_so_and_keeps_the_form(editor, workspace, prod):
    workspace.max_storage_bytes = 0
    workspace.save()
    response = post(editor, name="kept words")
    assert response.status_code == 422
    page = response.content.decode()
    assert "workspace is full" in page
    assert "kept words" in page
    assert not Run.objects.exists()


def test_a_workspace_without_clusters_leads_to_the_import(editor):
    page = editor.get(URL).content.decode()
    assert "/w/team/import/" in page
    assert_strict_csp(page)


def test_the_teaching_cluster_can_be_had_by_a_button_once(editor, messages):
    answer = editor.post("/w/team/runs/demo")
    assert answer["Location"] == "/w/team/runs/1/"
    assert editor.post("/w/team/runs/demo").status_code == 409
    assert Run.objects.count() == 1


@pytest.fixture
def made(editor):
    """Two breakpoints that are on, and one that is not."""
    return [
        create_breakpoint(editor.member, BreakpointFields(name, "tie", is_enabled=name != "Off"))
        for name in ("<b>First</b>", "Off", "Second")
    ]


def test_the_page_offers_those_that_are_on(editor, prod, made):
    page = editor.get(URL, {"cluster": "prod", "breakpoints": [made[2].pk]}).content.decode()
    assert_strict_csp(page)
    assert "&lt;b&gt;First" in page
    assert 'title="Off"' not in page
    assert page.count('name="breakpoints"') == 2
    assert page.split(f'value="{made[2].pk}"')[1].split(">")[0].strip() == "checked"


def test_without_any_there_is_no_such_part(editor, prod):
    assert "Breakpoints" not in editor.get(URL, {"cluster": "prod"}).content.decode().partition("<main")[2]


def test_the_run_is_started_with_what_is_chosen(editor, prod, made):
    response = post(editor, breakpoints=[made[0].pk, made[2].pk])
    assert response.status_code == 302, response.content.decode()
    assert {one.breakpoint for one in attached_to(Run.objects.get())} == {made[0], made[2]}


def test_one_that_is_gone_or_off_by_now_is_said_and_nothing_is_started(editor, prod, made):
    delete_breakpoint(editor.member, made[0])
    for gone in (made[0].pk or 10**6, made[1].pk):
        response = post(editor, breakpoints=[gone])
        assert response.status_code == 422
        assert "gone or switched" in response.content.decode()
    assert post(editor, breakpoints=["x"]).status_code == 400
    assert not Run.objects.exists()


def test_words(editor, workspace, prod, made):
    assert "is gone or switched off by now" in post(editor, breakpoints=[made[1].pk]).content.decode()
    workspace.max_storage_bytes = 0
    workspace.save()
    assert "The workspace is full" in post(editor).content.decode()


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
def test_words_of_what_is_taken_over(origin, editor, query, sentence):
    change = {"action": "set_policies", "policies": {"cycle_us": 9_000}}
    branch_run(editor.member, origin, Branching(0, [change]))
    assert sentence in editor.get(f"{URL}?{query}").content.decode()

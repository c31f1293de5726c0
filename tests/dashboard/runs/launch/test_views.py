"""The launch page: what it offers and counts, what it refuses in which field, and the run that it starts."""

from __future__ import annotations

import pytest
from django.http import QueryDict

from dashboard.clusters.configurations.actions import save_config
from dashboard.clusters.documents.actions import NewText
from dashboard.clusters.models import Cluster, SchedulerConfig
from dashboard.clusters.revisions import object_store
from dashboard.clusters.revisions.object_store import Saving
from dashboard.clusters.timelines.actions import save_timeline
from dashboard.runs import execution
from dashboard.runs.models import Run, State
from tests.dashboard.helpers import assert_strict_csp
from tests.dashboard.run_helpers import cluster_of, node, pod

pytestmark = pytest.mark.django_db

URL = "/w/team/runs/new/"
HEAD = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"
GOOD = HEAD + "profiles:\n- schedulerName: one\n- schedulerName: two\n"
# Reads well; that the two names are one is noticed only where the profiles are made.
DOUBLE = HEAD + "profiles:\n- schedulerName: one\n- schedulerName: one\n"
TIMELINE = """
entries:
- at: 1s
  action: add
  object: {apiVersion: v1, kind: Pod, metadata: {name: late, namespace: default}, spec: {containers: [{name: c}]}}
"""


@pytest.fixture
def prod(save):
    """A cluster of two nodes with three pending pods."""
    return save(cluster_of(2, 3))


def post(person, **data):
    """Return the answer to the form with these fields and the usual ones."""
    return person.post(URL, {"cluster": "prod", "r": "1", "schedule": "pending", "seed": "7", **data})


def errors(response):
    assert response.status_code == 422
    assert_strict_csp(response.content)
    assert not Run.objects.exists()
    return response.context["form"].errors


def test_the_page_offers_what_fits(editor, prod):
    response = editor.get(URL + "?cluster=prod")
    page = response.content.decode()
    assert_strict_csp(page)
    assert response.context["preview"].to_schedule == {"pending": 3, "all": 3}
    assert response.context["schedule"] == "pending"
    assert "2 nodes" not in page
    assert 0 <= int(response.context["form"].data["seed"]) < 1_000_000
    assert "These fields need" not in page


def test_all_pods_are_the_default_when_none_is_pending(editor, save):
    save([node("a"), pod("x", nodeName="a"), pod("y", nodeName="a")])
    response = editor.get(URL + "?cluster=prod")
    assert response.context["preview"].to_schedule == {"pending": 0, "all": 2}
    assert response.context["schedule"] == "all"
    assert errors(post(editor))["schedule"] == ["No pod of Prod r1 is pending. Choose something else."]


def test_pods_of_daemon_sets_are_not_counted_as_if_unbound(editor, save):
    kept = pod("agent", nodeName="a")
    kept["metadata"]["ownerReferences"] = [
        {"apiVersion": "apps/v1", "kind": "DaemonSet", "name": "agent", "uid": "1", "controller": True}
    ]
    save([node("a"), kept, pod("x", nodeName="a")])
    assert editor.get(URL).context["preview"].to_schedule == {"pending": 0, "all": 1}


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
        "taint_message": "plain",
        "cycle_us": 2500,
        "binding_us": 1000,
        "unschedulable_stay_us": None,
        "terminating": "stay",
        "owners": "keep",
        "node_loss": "pods_go",
        "job_running_us": 1_500_000,
        "max_replacements": 5,
    }
    assert run.created_by == editor.user


def test_fields_left_out_have_their_defaults(editor, prod, messages):
    assert editor.post(URL, {"cluster": "prod"}).status_code == 302
    run = Run.objects.get()
    assert (run.schedule, run.config_revision, run.max_cycles) == ("pending", None, 1_000_000)


@pytest.mark.parametrize(
    ("data", "field", "words"),
    [
        ({"cluster": "nope"}, "cluster", "does not exist here"),
        ({"cluster": ""}, "cluster", "Choose a cluster"),
        ({"r": "9"}, "r", "has no revision 9"),
        ({"r": "x"}, "r", "whole number"),
        ({"r": "-1"}, "r", "greater than or equal to 1"),
        ({"r": "9" * 30}, "r", "less than or equal to"),
        ({"config": "nope"}, "config", "does not exist here"),
        ({"schedule": "some"}, "schedule", "not one of the available choices"),
        ({"schedule": "timeline"}, "timeline", "no timeline yet"),
        ({"seed": "x"}, "seed", "whole number from 0"),
        ({"seed": "-1"}, "seed", "whole number from 0"),
        ({"seed": str(2**63)}, "seed", "whole number from 0"),
        ({"seed": ""}, "seed", "whole number from 0"),
        ({"max_cycles": "-5"}, "max_cycles", "from 1 to 1000000"),
        ({"max_cycles": "1000001"}, "max_cycles", "from 1 to 1000000"),
        ({"max_time": "50:0"}, "max_time", "such as 24:00:00"),
        ({"max_time": "00:00:00"}, "max_time", "more than none"),
        ({"max_time": "25:00:00"}, "max_time", "at most 24 hours"),
        ({"max_time": "00:61:00"}, "max_time", "such as 24:00:00"),
        ({"cycle_ms": "-1"}, "cycle_ms", "greater than or equal to"),
        ({"cycle_ms": "NaN"}, "cycle_ms", "number"),
        ({"binding_ms": "1e9"}, "binding_ms", "less than or equal to"),
        ({"draw": "coin"}, "draw", "not one of the available choices"),
        ({"name": "x" * 121}, "name", "at most 120"),
        ({"name": "a\x00b"}, "name", "NUL|Null"),
        ({"background": "maybe"}, "background", "not one of the available choices"),
    ],
    ids=lambda value: "=".join(next(iter(value.items())))[:30] if isinstance(value, dict) else "",
)
def test_bad_input_is_refused_at_its_field(editor, prod, data, field, words):
    response = post(editor, **data)
    found = errors(response)
    assert list(found) == [field]
    assert any(part in found[field][0] for part in words.split("|"))
    assert f'href="#id_{field}"' in response.content.decode()


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
    object_store.save_config(config, GOOD, Saving(None))
    assert "config" in errors(post(editor, config="theirs"))


def test_an_archived_cluster_is_not_offered(editor, prod):
    Cluster.objects.update(archived_at="2026-01-01T00:00:00Z")
    assert "No cluster yet" in editor.get(URL).content.decode()
    assert "cluster" in errors(post(editor))


def test_a_configuration_that_cannot_work_is_told_at_its_field(editor, workspace, prod):
    config = SchedulerConfig.objects.create(workspace=workspace, name="Double", slug="double")
    object_store.save_config(config, DOUBLE, Saving(None))
    found = errors(post(editor, config="double"))
    assert list(found) == ["config"]
    assert "one" in found["config"][0]
    page = editor.get(URL + "?config=double").content.decode()
    assert "none that work" in page


def test_an_old_revision_can_be_run_and_is_called_old(editor, prod, save, messages):
    save(cluster_of(2, 5))
    page = editor.get(URL + "?cluster=prod&r=1").content.decode()
    assert "r1 is not the newest revision; r2 is" in page
    post(editor)
    assert Run.objects.get().revision == prod
    assert "is not the newest" not in editor.get(URL + "?cluster=prod").content.decode()


def test_a_new_choice_of_cluster_forgets_what_belonged_to_the_old_one(editor, prod, save):
    save(cluster_of(2, 5))
    save([node("a"), pod("x", nodeName="a")], slug="other")
    query = QueryDict(mutable=True)
    query.update({"cluster": "other", "of_cluster": "prod", "r": "2", "schedule": "pending", "seed": "5", "name": "n"})
    response = editor.get(f"{URL}?{query.urlencode()}", headers={"HX-Request": "true"})
    assert response.status_code == 200
    form = response.context["form"]
    assert (form.data["r"], form.data["schedule"], form.data["seed"], form.data["name"]) == ("1", "all", "5", "n")
    assert b"<html" not in response.content
    assert response["HX-Replace-Url"] == f"{URL}?cluster=other&r=1&schedule=all&seed=5"


def test_a_timeline_that_does_not_fit_is_told_at_its_field(editor, workspace, prod):
    timeline = workspace.timelines.create(name="bad", slug="bad")
    object_store.save_timeline(timeline, {"entries": [{"at": "soon", "action": "add"}]}, Saving(None))
    found = errors(post(editor, schedule="timeline", timeline="bad", timeline_r="1"))
    assert list(found) == ["timeline"]


def test_a_full_workspace_says_so_and_keeps_the_form(editor, workspace, prod):
    workspace.max_storage_bytes = 0
    workspace.save()
    response = post(editor, name="kept words")
    assert response.status_code == 422
    page = response.content.decode()
    assert "The workspace is full" in page
    assert "kept words" in page
    assert not Run.objects.exists()


def test_earlier_runs_of_the_revision_are_shown(editor, prod, launch):
    launch(revision=prod, seed=3)
    assert [line.run.number for line in editor.get(URL).context["preview"].earlier] == [1]


def test_a_workspace_without_clusters_leads_to_the_import(editor):
    page = editor.get(URL).content.decode()
    assert "/w/team/import/" in page
    assert_strict_csp(page)


def test_the_teaching_cluster_can_be_had_by_a_button_once(editor, messages):
    answer = editor.post("/w/team/runs/demo")
    assert answer["Location"] == "/w/team/runs/1/"
    assert editor.post("/w/team/runs/demo").status_code == 409
    assert Run.objects.count() == 1


def test_pods_that_no_profile_serves_are_told_before_the_run(editor, prod):
    save_config(editor.member, None, NewText("two profiles", GOOD))
    assert editor.get(URL).context["unserved"] == []
    response = editor.get(URL + "?config=two-profiles")
    assert response.context["unserved"] == [("default-scheduler", 3)]
    page = response.content.decode()
    assert "3 pods ask for <b>default-scheduler</b>: no profile here has that name" in page
    assert_strict_csp(page)

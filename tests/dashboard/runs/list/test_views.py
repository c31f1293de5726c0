"""The list of runs and its buttons: what it shows, who may press what, and where one lands."""

from __future__ import annotations

import pytest
from django.urls import reverse

from dashboard.accounts.models import Role
from dashboard.runs import actions, execution
from dashboard.runs.launch import views as launch_views
from dashboard.runs.list import views as lists
from dashboard.runs.models import Run, RunStop, State
from dashboard.runs.observing import views as observing_views
from tests.dashboard.helpers import assert_strict_csp
from tests.dashboard.role_tables import assert_each_address_has_a_row, assert_each_role_gets_its_answer
from tests.dashboard.run_helpers import cluster_of, pod

pytestmark = pytest.mark.django_db
LIST = "/w/team/runs/"

PART = {"HX-Request": "true"}
# name, method, smallest role that may, form data
ENDPOINTS = [
    ("list", "get", "viewer", {}),
    ("launch", "get", "editor", {}),
    ("launch", "post", "editor", {"cluster": "prod", "r": "1"}),
    ("load_demo", "post", "editor", {}),
    ("observed", "get", "editor", {"run": "1"}),
    ("observed", "post", "editor", {"run": "1", "name": "as observed", "waiting": "1"}),
    ("pause", "post", "editor", {}),
    ("resume", "post", "editor", {}),
    ("cancel", "post", "editor", {}),
    ("delete", "post", "editor", {}),
    ("keep", "post", "editor", {"kept": "1"}),
    ("rename", "post", "editor", {"name": "another"}),
    ("start_anew", "post", "editor", {}),
]
OF_A_RUN = ("pause", "resume", "cancel", "delete", "keep", "rename", "start_anew")


def address(name: str, number: int = 1, slug: str = "team") -> str:
    return reverse(f"runs:{name}", kwargs={"slug": slug} | ({"number": number} if name in OF_A_RUN else {}))


@pytest.mark.parametrize(("name", "method", "needed", "data"), ENDPOINTS, ids=[f"{e[1]} {e[0]}" for e in ENDPOINTS])
def test_each_endpoint_lets_in_who_may(people, launch, name, method, needed, data):
    launch(2, 3)
    status = 200 if method == "get" else 302
    assert_each_role_gets_its_answer(
        people, needed, status, lambda person, _: getattr(person, method)(address(name), data)
    )


def test_every_address_is_in_the_table():
    assert_each_address_has_a_row("runs", [endpoint[0] for endpoint in ENDPOINTS])


@pytest.mark.parametrize("name", [*OF_A_RUN, "load_demo"])
def test_writes_refuse_get(editor, launch, name):
    launch(2, 3)
    assert editor.get(address(name)).status_code == 405


@pytest.mark.parametrize("name", OF_A_RUN)
def test_a_run_of_another_workspace_does_not_exist_here(editor, stranger, launch, name):
    launch(2, 3)
    assert stranger.post(address(name, slug="elsewhere")).status_code == 404
    assert editor.post(address(name, 99)).status_code == 404
    assert editor.post(address(name, 10**30)).status_code == 404
    assert Run.objects.get().state == State.QUEUED


# ---------------------------------------------------------------- the list


def test_an_empty_list_leads_to_the_launch_page(editor, viewer):
    assert f'href="{address("launch")}"' in editor.get(LIST).content.decode()
    page = viewer.get(LIST).content.decode()
    assert "An editor of" in page
    assert address("launch") not in page


def test_a_waiting_run_is_asked_for_again_until_nothing_moves(editor, launch):
    launch(2, 3)
    assert 'hx-trigger="every' in editor.get(LIST).content.decode()
    assert editor.get(LIST, headers=PART).status_code == 200
    execution.work()
    response = editor.get(LIST, headers=PART)
    assert response.status_code == 286  # htmx stops
    assert b"<html" not in response.content
    assert b'id="runs"' in response.content


def test_state_and_cluster_narrow_the_list(editor, launch, save):
    launch(2, 3, name="first")
    execution.work()
    launch(revision=save(cluster_of(1, 1), slug="other"), name="second")

    def shown(query):
        return [line.run.number for line in editor.get(LIST + query).context["lines"]]

    assert shown("") == [2, 1]
    assert shown("?state=finished") == [1]
    assert shown("?state=live") == [2]
    assert shown("?cluster=other") == [2]
    assert shown("?q=first") == [1]
    assert shown("?q=OTHER") == [2]
    assert shown("?state=failed") == []
    assert "No run matches" in editor.get(LIST + "?state=failed").content.decode()


def test_long_lists_are_paged(editor, save, launch):
    revision = save(cluster_of(1, 1))
    for _ in range(27):
        launch(revision=revision)
    page = editor.get(LIST)
    assert len(page.context["lines"]) == 25
    assert "25 of 27" in page.content.decode()
    assert [line.run.number for line in editor.get(LIST + "?page=2").context["lines"]] == [2, 1]


def test_the_number_of_queries_does_not_grow_with_the_list(viewer, save, launch, django_assert_max_num_queries):
    revision = save(cluster_of(1, 1))
    for _ in range(12):
        launch(revision=revision)
    with django_assert_max_num_queries(12):
        viewer.get(LIST)


@pytest.mark.parametrize(
    ("query", "status"),
    [("?state=asleep", 400), ("?state=deleting", 400), ("?cluster=nope", 404), ("?page=0", 400), ("?q=%00", 400)],
)
def test_bad_filters_are_refused_with_words(viewer, query, status):
    response = viewer.get(LIST + query)
    assert response.status_code == status
    assert_strict_csp(response.content)


@pytest.mark.parametrize(
    "name", ["\u96c6\u7fa4" * 20, "\u0645\u062c\u0645\u0648\u0639\u0629", "<script>alert(1)</script>", "x" * 120]
)
def test_names_survive_as_they_are(viewer, launch, name):
    launch(2, 3, name=name)
    response = viewer.get(LIST)
    assert_strict_csp(response.content)
    assert response.context["lines"][0].run.name == name
    assert "<script>alert" not in response.content.decode()


# ---------------------------------------------------------------- verbs


def test_pause_resume_cancel_and_delete_by_the_buttons(editor, launch, again, messages):
    run = launch(2, 3)
    assert editor.post(address("pause"))["Location"] == LIST
    assert again(run).state == State.PAUSED
    editor.post(address("resume"))
    assert again(run).state == State.QUEUED
    editor.post(address("cancel"))
    assert again(run).state == State.CANCELLED
    response = editor.post(address("delete"), follow=True)
    assert "1 is deleted" in response.content.decode()
    assert not Run.objects.exists()


def test_what_the_state_does_not_allow_is_told(editor, launch):
    launch(2, 3)
    execution.work()
    response = editor.post(address("pause"))
    assert response.status_code == 409
    assert "cannot be paused" in response.content.decode()


def test_keep_and_rename(editor, launch, again):
    run = launch(2, 3)
    editor.post(address("keep"), {"kept": "1"})
    editor.post(address("rename"), {"name": "  better  "})
    assert (again(run).is_kept, again(run).name) == (True, "better")
    assert editor.post(address("rename"), {"name": "x" * 121}).status_code == 400
    assert editor.post(address("keep"), {"kept": "perhaps"}).status_code == 400


@pytest.mark.parametrize(
    ("next_address", "goes"),
    [
        ("/w/team/", "/w/team/"),
        ("https://elsewhere.example/", LIST),
        ("//elsewhere.example/", LIST),
        ("javascript:alert(1)", LIST),
        ("foo", LIST),
        ("", LIST),
    ],
)
def test_one_lands_where_the_button_was_and_nowhere_else(editor, launch, next_address, goes):
    launch(2, 3)
    assert editor.post(address("pause"), {"next": next_address})["Location"] == goes
    answer = editor.post(address("resume"), {"next": next_address}, headers=PART)
    assert (answer.status_code, answer["HX-Redirect"]) == (204, goes)


def test_settings_tell_what_is_stored(owner, launch):
    launch(2, 30)
    execution.work()
    page = owner.get("/w/team/settings/").content.decode()
    assert_strict_csp(page)
    assert "recordings and objects" in page


def test_roles_of_the_table_are_those_of_the_views():
    views = {name: getattr(lists, name if name != "list" else "run_list", None) for name, *_ in ENDPOINTS}
    views["observed"] = observing_views.observed
    of_launch = ("launch", "load_demo", "start_anew")
    views |= {name: getattr(launch_views, name) for name in of_launch}
    assert {name: views[name].needed_role for name, *_ in ENDPOINTS} == {e[0]: Role(e[2]) for e in ENDPOINTS}


def test_the_list_of_clusters_tells_pending_pods_and_the_last_visible_run(editor, viewer, save, launch):
    prod = save([*cluster_of(2, 3), pod("giant", "900")])
    save(cluster_of(1, 1), slug="quiet")
    first = launch(revision=prod)
    execution.work()
    page = viewer.get("/w/team/clusters/").content.decode()
    assert_strict_csp(page)
    assert "4 pending" in page
    assert "unschedulable" not in page
    assert "3 bindings, 1 without" in " ".join(page.split())
    assert "never run" in page
    second = launch(revision=prod)
    assert f"run {second.number}" in viewer.get("/w/team/clusters/").content.decode()
    actions.delete_run(editor.member, second)
    page = viewer.get("/w/team/clusters/").content.decode()
    assert f"run {first.number}" in page
    assert f"run {second.number}" not in page


def test_a_stopped_run_says_at_which_breakpoint_below_its_state(viewer, launch):
    run = launch(2, 3)
    Run.everything.filter(pk=run.pk).update(state=State.STOPPED)
    RunStop.objects.create(run=run, seq=3, name="<b>T4</b> free")
    html = viewer.get("/w/team/runs/").content.decode()
    assert html.count("&lt;b&gt;T4&lt;/b&gt; free") == 2


def test_words(owner, editor, viewer, launch):
    assert "An editor of this workspace can start one" in viewer.get(LIST).content.decode()
    run = launch(2, 3)
    Run.everything.filter(pk=run.pk).update(state=State.STOPPED)
    RunStop.objects.create(run=run, seq=3, name="T4")
    assert "in recordings and objects" in owner.get("/w/team/settings/").content.decode()
    assert 'title="stopped at breakpoint T4"' in viewer.get(LIST).content.decode()
    Run.everything.filter(pk=run.pk).update(state=State.QUEUED)
    assert "Run 1 is deleted" in editor.post(address("delete"), follow=True).content.decode()

"""The first page: it leads a newcomer on, and shows everybody what is going on."""

from __future__ import annotations

import pytest

from dashboard.clusters.revisions.actions import NewCluster, create_cluster, newest_revision
from dashboard.review.deciding.asking import ReviewRequest, ask_for_review
from dashboard.runs import demo, execution
from dashboard.runs.actions import Launch, create_run
from dashboard.runs.lifecycle import waiting
from dashboard.runs.models import Cycle, Run, State
from tests.dashboard.helpers import assert_strict_csp
from tests.dashboard.role_tables import assert_each_role_gets_its_answer
from tests.dashboard.run_helpers import cluster_of

pytestmark = pytest.mark.django_db

URL = "/w/team/"
PART = {"HX-Request": "true"}


@pytest.fixture(autouse=True)
def _quiet(monkeypatch):
    monkeypatch.setattr(waiting, "_send", lambda task: None)


@pytest.fixture
def launch(editor):
    """A function that starts a run of a new cluster."""

    def launch(name="prod", n_pods=5, **how):
        cluster = create_cluster(editor.member, NewCluster(name), cluster_of(2, n_pods))
        return create_run(editor.member, Launch(newest_revision(cluster), **how))

    return launch


@pytest.mark.parametrize("role", ["viewer", "reviewer", "editor", "admin"])
def test_members_see_it(people, role):
    response = people[role].get(URL)
    assert response.status_code == 200
    assert_strict_csp(response.content)


def test_others_do_not(people):
    assert people["stranger"].get(URL).status_code == 404
    assert people["anonymous"].get(URL)["Location"].startswith("/signin")
    assert people["admin"].post(URL).status_code == 405


def test_an_empty_workspace_shows_first_steps(editor, viewer):
    page = editor.get(URL).content.decode()
    assert "First steps" in page
    assert "/w/team/import/" in page
    assert "/w/team/runs/demo" in page
    page = viewer.get(URL).content.decode()
    assert "/w/team/import/" not in page
    assert "/w/team/runs/demo" not in page


def test_the_fresh_demo_leads_into_its_run_until_there_is_something_of_ones_own(editor, launch):
    run = demo.load_teaching(editor.member)
    execution.work()
    page = editor.get(URL).content.decode()
    assert_strict_csp(page)
    first = Cycle.objects.filter(run_id=run.pk, outcome="unschedulable").order_by("number").first()
    assert f'href="/w/team/runs/{run.number}/?cycle={first.number}"' in page
    launch()
    assert f"/?cycle={first.number}" not in editor.get(URL).content.decode()


def test_runs_clusters_and_storage_are_shown(viewer, launch):
    launch(name="prod", seed=9)
    execution.work()
    response = viewer.get(URL)
    page = response.content.decode()
    assert_strict_csp(page)
    for part in ("prod r1", "5 bindings", "Kubernetes defaults, all pods, seed 9", "finished", "run 1", "20 GiB"):
        assert part in page
    assert "every 1500ms" not in page


def test_what_runs_now_has_buttons_for_editors_only(editor, viewer, launch):
    launch()
    page = editor.get(URL).content.decode()
    assert "Running now" in page
    assert "/w/team/runs/1/pause" in page
    assert "every 1500ms" in page
    page = viewer.get(URL).content.decode()
    assert "Running now" in page
    assert "/w/team/runs/1/pause" not in page


def test_the_live_part_comes_alone_and_ends(editor, launch):
    launch()
    response = editor.get(URL, headers=PART)
    assert response.status_code == 200
    assert b"<html" not in response.content
    execution.work()
    assert editor.get(URL, headers=PART).status_code == 286


def test_deleted_runs_are_gone_from_the_clusters_too(editor, launch):
    run = launch()
    Run.everything.filter(pk=run.pk).update(state=State.DELETING)
    page = editor.get(URL).content.decode()
    assert "none yet" in page
    assert "No run yet" in page


def test_nothing_of_another_workspace_is_shown(stranger, launch):
    launch(name="secret-cluster")
    page = stranger.get("/w/elsewhere/").content.decode()
    assert "secret-cluster" not in page
    assert "First steps" in page


def test_the_number_of_queries_is_bounded(viewer, launch, django_assert_max_num_queries):
    for name in ("a", "b", "c", "d"):
        launch(name=name)
    with django_assert_max_num_queries(21):
        viewer.get(URL)


def test_home_is_in_the_menu_and_the_root_leads_there(viewer):
    assert viewer.get("/")["Location"] == URL
    page = viewer.get(URL).content.decode()
    assert f'<a href="{URL}" aria-current="page"' in page


@pytest.mark.slow
def test_the_demo_lists_its_other_scenes_with_what_to_look_at(editor):
    demo.load_teaching(editor.member)
    run = demo.load_scene(editor.member, demo.QUOTAS)
    page = editor.get(URL).content.decode()
    assert demo.QUOTAS.look in page
    assert f'href="/w/team/runs/{run.number}/"' in page, "a run that has not begun opens at its head"
    while execution.work():
        pass
    page = editor.get(URL).content.decode()
    assert f'href="/w/team/runs/{run.number}/?cycle=7&amp;tab=preemption"' in page


# ---------------------------------------------------------------- what waits for the reader


WAITING = f"{URL}waiting"


def test_what_waits_is_fetched_without_the_rest_of_the_page(people, editor, launch):
    ask_for_review(editor.member, launch(), ReviewRequest("Look <b>"))
    assert f'data-part="{WAITING}"' in people["reviewer"].get(URL).content.decode()
    part = people["reviewer"].get(WAITING, headers=PART).content.decode()
    assert part.lstrip().startswith("<section")
    assert "Look &lt;b&gt;" in part
    assert part.count('class="inb is-turn"') == 1
    assert "Look" not in people["viewer"].get(WAITING, headers=PART).content.decode()
    assert people["viewer"].get(WAITING)["Location"] == URL


def test_more_waits_than_the_first_page_shows(people, editor, launch):
    for number in range(7):
        ask_for_review(editor.member, launch(f"prod-{number}"), ReviewRequest(f"Look {number}"))
    part = people["reviewer"].get(WAITING, headers=PART).content.decode()
    assert part.count('class="inb is-turn"') == 5
    assert '<span class="count count-hot">7</span>' in part


def test_each_role_fetches_what_waits(people):
    assert_each_role_gets_its_answer(people, "viewer", 302, lambda person, _: person.get(WAITING))
    assert people["admin"].post(WAITING).status_code == 405


# ---------------------------------------------------------------- words


def test_words(editor, viewer, people, launch):
    assert "an editor can import a cluster" in viewer.get(URL).content.decode()
    demo.load_teaching(editor.member)
    execution.work()
    assert "Open the demo run" in editor.get(URL).content.decode()
    ask_for_review(editor.member, launch(), ReviewRequest("Look"))
    assert "asks for your verdict" in people["reviewer"].get(WAITING, headers=PART).content.decode()

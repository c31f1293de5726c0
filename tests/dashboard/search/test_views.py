"""What the field finds, over HTTP: on every page of a workspace, for everybody in it and for nobody else."""

from __future__ import annotations

import pytest
from django.test import Client
from django.urls import get_resolver

from dashboard.accounts.models import Member, User
from dashboard.clusters.models import Cluster
from dashboard.clusters.revisions import object_store
from dashboard.clusters.revisions.object_store import Saving
from dashboard.review import actions as reviews
from dashboard.review.deciding.asking import ReviewRequest, ask_for_review
from dashboard.review.deciding.verdicts import give_verdict
from dashboard.review.pins.pin import Pin
from dashboard.runs.models import Cycle, Run, State
from tests.dashboard.helpers import assert_strict_csp
from tests.dashboard.run_helpers import cluster_of, pod

pytestmark = pytest.mark.django_db

URL, OPENED = "/w/team/search/names/", "/w/team/search/opened"
EVIL = '<img src=x onerror="alert(1)">&amp;"\''


def cluster(workspace, name, manifests):
    made = Cluster.objects.create(workspace=workspace, name=name, slug=name.lower())
    object_store.save_revision(made, manifests, Saving(None))
    return made


@pytest.mark.parametrize("role", ["viewer", "reviewer", "editor", "admin"])
def test_members_search_and_open(people, role):
    response = people[role].get(URL, {"q": "asha"})
    assert response.status_code == 200
    assert_strict_csp(response.content)
    assert people[role].post(OPENED, {"ref": "run\t1"}).status_code == 204


@pytest.mark.parametrize(("method", "url"), [("get", URL), ("post", OPENED)])
def test_others_do_not(people, method, url):
    assert getattr(people["stranger"], method)(url).status_code == 404
    assert getattr(people["anonymous"], method)(url)["Location"].startswith("/signin")
    other = {"get": "post", "post": "get"}[method]
    assert getattr(people["admin"], other)(url).status_code == 405


def test_every_address_is_tried_by_role():
    _, resolver = get_resolver().namespace_dict["search"]
    of_queries = {"workspace", "workspace_csv", "run", "run_csv", "cycles", "save", "change", "delete"}
    of_queries |= {"saved_counts", "as_breakpoint", "short", "run_short", "make_link", "link"}
    assert {key for key in resolver.reverse_dict if isinstance(key, str)} == {"results", "opened", *of_queries}


def test_opening_needs_the_token_of_the_page(owner):
    strict = Client(enforce_csrf_checks=True)
    strict.cookies = owner.cookies
    assert strict.post(OPENED, {"ref": "run\t1"}).status_code == 403


# ---------------------------------------------------------------- in a run


def test_pods_nodes_and_cycles_of_a_run_open_at_the_cursor_of_the_page(viewer, run, hits_of):
    at = "/w/team/runs/1/?cycle=3&tab=why"
    cycle = Cycle.objects.get(run_id=run.pk, number=3)
    hits = hits_of(viewer, "small-2", at)
    assert list(hits) == ["pod"]
    [(said, url)] = hits["pod"]
    assert said.startswith("default/small-2 scheduled to full-")
    assert url == f"/w/team/runs/1/?seq={cycle.last_seq + 1}&select=default%2Fsmall-2&tab=why"
    [(said, url)] = hits_of(viewer, "taint", at)["node"]
    assert said.startswith("taint-c ")
    assert url == "/w/team/runs/1/?cycle=3&tab=why&node=taint-c"
    [(said, url)] = hits_of(viewer, "cycle 2", at)["cycle"]
    assert said.startswith("Cycle 2 default/")
    assert url == "/w/team/runs/1/?cycle=2&tab=why"


@pytest.mark.slow
def test_each_of_these_addresses_opens(viewer, run, hits_of):
    at = "/w/team/runs/1/?cycle=3"
    for typed in ("small-2", "taint", "2"):
        for hits in hits_of(viewer, typed, at).values():
            for _, url in hits:
                assert viewer.get(url, follow=True).status_code == 200, url


OTHER_PAGES = ["outcomes/", "events/", "cycles/", "review/", "why/?pod=default/never-0", "events/?seq=5"]


@pytest.mark.parametrize("page", OTHER_PAGES)
def test_the_other_pages_of_a_run_search_it_too(viewer, run, hits_of, page):
    hits = hits_of(viewer, "never-0", f"/w/team/runs/1/{page}")
    [(said, url)] = hits["pod"]
    assert "unschedulable, cycle" in said
    moment = "seq=5&" if "seq=5" in page else ""
    assert url == f"/w/team/runs/1/?{moment}select=default%2Fnever-0"


def test_a_moment_that_is_not_there_is_none(viewer, run, hits_of):
    for at in ("?cycle=4000", "?seq=999999", "?tab=nonsense", "events/?seq=999999"):
        assert "default%2Fnever-0" in hits_of(viewer, "never-0", f"/w/team/runs/1/{at}")["pod"][0][1]


def test_pods_that_came_during_the_run_are_found(viewer, execute, hits_of):
    deployment = {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "web", "namespace": "shop"},
        "spec": {
            "replicas": 2,
            "selector": {"matchLabels": {"app": "web"}},
            "template": {
                "metadata": {"labels": {"app": "web"}},
                "spec": {"containers": [{"name": "c", "image": "nginx"}]},
            },
        },
    }
    execute([*cluster_of(2, 0), deployment])
    pods = hits_of(viewer, "shop/web", "/w/team/runs/1/?cycle=1")["pod"]
    assert len(pods) == 2
    for _, url in pods:
        assert viewer.get(url, follow=True).status_code == 200
    in_cluster = hits_of(viewer, "web", "/w/team/clusters/prod/")
    assert [said for said, _ in in_cluster["workload"]] == [
        "shop/web Deployment",
        "shop/web Deployment, its pods Prod, run 1",
    ]


def test_numbers_find_cycles_by_their_digits(viewer, run, hits_of):
    n = run.head.cycle
    assert n < 20
    cycles = [said.split()[1] for said, _ in hits_of(viewer, "1", "/w/team/runs/1/?cycle=1", kind="cycle")["cycle"]]
    assert cycles == [str(number) for number in range(1, n + 1) if str(number).startswith("1")]
    assert "cycle" not in hits_of(viewer, "999", "/w/team/runs/1/?cycle=1")
    assert "cycle" not in hits_of(viewer, "0", "/w/team/runs/1/?cycle=1")
    assert "cycle" not in hits_of(viewer, "9" * 12, "/w/team/runs/1/?cycle=1")
    assert "cycle" not in hits_of(viewer, "1", "/w/team/")


# ---------------------------------------------------------------- in a cluster, in the workspace


def test_objects_of_a_cluster_open_at_the_revision_of_the_page(viewer, workspace, hits_of):
    prod = cluster(workspace, "Prod", cluster_of(2, 3))
    object_store.save_revision(prod, cluster_of(2, 1), Saving(None))
    [(_, url)] = hits_of(viewer, "pod-2", "/w/team/clusters/prod/?r=1")["pod"]
    assert url == "/w/team/clusters/prod/object/?kind=Pod&ns=default&name=pod-2&r=1"
    assert viewer.get(url).status_code == 200
    assert "pod" not in hits_of(viewer, "pod-2", "/w/team/clusters/prod/pods/")


def test_elsewhere_all_clusters_are_searched(viewer, workspace, hits_of):
    cluster(workspace, "Prod", cluster_of(2, 1))
    cluster(workspace, "Test", [*cluster_of(1, 0), pod("only-here")])
    [(said, url)] = hits_of(viewer, "only-here", "/w/team/members/")["pod"]
    assert said == "default/only-here Test"
    assert viewer.get(url).status_code == 200
    assert len(hits_of(viewer, "node-0")["node"]) == 2


def test_archived_clusters_are_left_out(viewer, workspace, hits_of):
    prod = cluster(workspace, "Prod", [pod("only-here")])
    assert hits_of(viewer, "only-here")
    prod.archived_at = prod.created_at
    prod.save()
    assert hits_of(viewer, "only-here") == {}
    assert hits_of(viewer, "prod") == {}


def test_runs_reviews_threads_and_people_are_found(reviewer, viewer, run, hits_of):
    Run.objects.filter(pk=run.pk).update(name="Nightly")
    ask_for_review(reviewer.member, run, ReviewRequest("Spread", ""))
    give_verdict(reviewer.member, run, "approve", "well spread")
    reviews.open_thread(reviewer.member, run, Pin(cycle=2), "Why busy?")
    hits = hits_of(viewer, "nightly")
    assert [said.split(" · ") for said, _ in hits["run"]] == [["Nightly run 1", "Prod r1", "finished"]]
    assert [said.split(" · ") for said, _ in hits_of(viewer, "approved spread")["review"]] == [
        ["Spread run 1", "Ravi approved"]
    ]
    [(said, url)] = hits_of(viewer, "busy")["thread"]
    assert said.split(" · ") == ["Why busy? cycle 2 of run 1", "Ravi", "open"]
    assert viewer.get(url, follow=True).status_code == 200
    [(said, url)] = hits_of(viewer, "ravi@")["person"]
    assert said == "Ravi ravi@example.org · reviewer"
    assert b"ravi@example.org" in viewer.get(url).content
    assert "configuration" in hits_of(viewer, "kubernetes defaults")
    assert "configuration" in hits_of(viewer, "zone-spread")


def test_runs_that_are_being_deleted_are_not_found(viewer, run, hits_of):
    assert "run" in hits_of(viewer, "run 1")
    Run.objects.filter(pk=run.pk).update(state=State.DELETING)
    assert "run" not in hits_of(viewer, "run 1")
    in_cluster = hits_of(viewer, "never-0", "/w/team/runs/1/?cycle=1")["pod"]
    assert [url.partition("?")[0] for _, url in in_cluster] == ["/w/team/clusters/prod/object/"]


def test_nothing_of_another_workspace_is_found(stranger, viewer, run, hits_of):
    elsewhere = Member.objects.get(user=stranger.user).workspace
    cluster(elsewhere, "Secret", [pod("secret-pod")])
    for at in ("/w/team/", "/w/elsewhere/", "/w/elsewhere/clusters/secret/", "/w/elsewhere/runs/1/?cycle=1"):
        assert hits_of(viewer, "secret", at) == {}
        assert hits_of(viewer, stranger.user.email, at) == {}
        # Presets speak of standards and distances.
        assert set(hits_of(viewer, "stan", at)) <= {"configuration"}
    for at in ("/w/elsewhere/", "/w/team/", "/w/team/runs/1/?cycle=1", "/w/team/clusters/prod/"):
        assert hits_of(stranger, "never-0", at, slug="elsewhere") == {}
        assert hits_of(stranger, "vera", at, slug="elsewhere") == {}


# ---------------------------------------------------------------- limits, markup


def test_names_are_escaped(viewer, owner, workspace):
    cluster(workspace, "Prod", [pod(EVIL)])
    User.objects.filter(pk=owner.user.pk).update(name=EVIL)
    for typed in ("img", EVIL, "<", "&amp;", '"'):
        page = viewer.get(URL, {"q": typed}).content.decode()
        assert_strict_csp(page)
        assert "<img" not in page.lower()
        assert "data-ref" in page


def test_marks_show_what_was_typed(viewer, workspace):
    cluster(workspace, "Prod", [pod("orders-db-0")])
    page = viewer.get(URL, {"q": "db default"}).content.decode()
    assert "<mark>default</mark>/orders-<mark>db</mark>-0" in page


@pytest.mark.parametrize(
    "query",
    [
        {"q": "x" * 101},
        {"q": "a\x00b"},
        {"q": "a", "kind": "nonsense"},
    ],
)
def test_what_cannot_be_asked_is_refused(viewer, query):
    assert viewer.get(URL, query).status_code == 400


BAD_ADDRESSES = ["nonsense", "//evil/", "/w/team/nowhere/", "http://[", "/w/team/runs/77/", "\x00", "x" * 9000]


@pytest.mark.parametrize("at", [*BAD_ADDRESSES, f"/w/team/runs/{10**30}/"])
def test_any_address_of_a_page_will_do(viewer, at):
    response = viewer.get(URL, {"q": "vera", "at": at})
    assert response.status_code == 200
    assert [hit.label for group in response.context["answer"].groups for hit in group.hits] == ["Vera"]


def test_a_kind_is_opened_alone(viewer, workspace, hits_of):
    cluster(workspace, "Prod", cluster_of(1, 80))
    assert len(hits_of(viewer, "pod-")["pod"]) == 11
    response = viewer.get(URL, {"q": "pod-"}).content.decode()
    assert 'data-open-kind="pod"' in response
    assert "69 more" in response
    opened = hits_of(viewer, "pod-", kind="pod")
    assert list(opened) == ["pod"]
    assert len(opened["pod"]) == 50
    assert "30 more match" in viewer.get(URL, {"q": "pod-", "kind": "pod"}).content.decode()


def test_fewer_of_a_kind_are_shown_beside_others(viewer, workspace, hits_of):
    cluster(workspace, "Prod", cluster_of(20, 20))
    assert {kind: len(hits) for kind, hits in hits_of(viewer, ":od").items()} == {"node": 6, "pod": 6}
    shown = {kind: len(hits) for kind, hits in hits_of(viewer, "o").items()}
    assert len(shown) > 2
    assert set(shown.values()) <= {1, 2, 3}


def test_signs_in_front_narrow_what_is_looked_for(viewer, run, hits_of):
    at = "/w/team/runs/1/?cycle=1"
    assert set(hits_of(viewer, "1", at)) > {"pod", "cycle"}
    assert set(hits_of(viewer, ":1", at)) == {"pod", "cycle"}
    assert hits_of(viewer, ">step", at) == {}


def test_clusters_with_too_many_objects_are_named(viewer, workspace, monkeypatch):
    monkeypatch.setattr("dashboard.search.scope.MOST_OBJECTS", 4)
    cluster(workspace, "Old", cluster_of(2, 1))
    cluster(workspace, "New", cluster_of(2, 1))
    response = viewer.get(URL, {"q": "node-1"})
    assert [hit.sub for group in response.context["answer"].groups for hit in group.hits] == [""]
    assert "Old were not" in response.content.decode()
    assert "not searched" not in viewer.get(URL, {"q": "node-1", "at": "/w/team/clusters/old/"}).content.decode()


# ---------------------------------------------------------------- what it costs


def test_a_search_takes_as_many_queries_for_many_things_as_for_few(
    viewer, run, execute, workspace, django_assert_max_num_queries
):
    for n in range(3):
        cluster(workspace, f"More{n}", cluster_of(2, 2))
        execute(cluster_of(1, 3), slug=f"more{n}")
    for at, most in (("/w/team/runs/1/?cycle=3", 24), ("/w/team/clusters/prod/", 20), ("/w/team/", 19)):
        viewer.get(URL, {"q": "small", "at": at})
        with django_assert_max_num_queries(most):
            viewer.get(URL, {"q": "small", "at": at})


def test_words(viewer, workspace, run, hits_of, monkeypatch):
    assert [said for said, _ in hits_of(viewer, "taint", "/w/team/runs/1/?cycle=3")["node"]] == [
        "taint-c chosen by no cycle"
    ]
    monkeypatch.setattr("dashboard.search.scope.MOST_OBJECTS", 4)
    cluster(workspace, "Old", cluster_of(2, 1))
    cluster(workspace, "New", cluster_of(2, 1))
    assert "of New, Old were not searched" in viewer.get(URL, {"q": "node-1"}).content.decode()

"""Whose names are searched: from any page the newest run of each cluster, else its newest revision."""

from __future__ import annotations

import pytest

from dashboard.runs.models import Run, RunHead, State
from tests.dashboard.run_helpers import cluster_of, pod
from tests.dashboard.search.test_views import URL, cluster

pytestmark = pytest.mark.django_db

PAGES = ["/w/team/", "/w/team/members/", "/w/team/clusters/other/", "/w/team/runs/2/?cycle=1", "/w/team/runs/2/events/"]


@pytest.fixture
def other(run, execute):
    """Run 2, of another cluster; run 1 is the newest of its own."""
    return execute(cluster_of(1, 2), slug="other")


@pytest.mark.parametrize("at", PAGES)
def test_a_pod_and_a_node_of_the_newest_run_are_there_on_any_page(viewer, other, hits_of, at):
    [(said, url)] = hits_of(viewer, "never-0", at)["pod"]
    assert said.endswith(" Prod, run 1")
    assert url == "/w/team/runs/1/?select=default%2Fnever-0"
    [(said, url)] = hits_of(viewer, "taint-c", at)["node"]
    assert said.endswith(" Prod, run 1")
    assert url == "/w/team/runs/1/?node=taint-c"


def test_the_newest_run_of_a_cluster_stands_for_it(viewer, run, execute, hits_of):
    execute([*cluster_of(2, 0), pod("fresh-0", "100m")])
    assert "pod" not in hits_of(viewer, "never-0")
    [(said, url)] = hits_of(viewer, "fresh-0")["pod"]
    assert said.endswith(" Prod, run 2")
    assert viewer.get(url, follow=True).status_code == 200
    Run.objects.filter(number=2).update(state=State.DELETING)
    assert hits_of(viewer, "never-0")["pod"][0][0].endswith(" Prod, run 1")
    Run.objects.filter(number=1).update(state=State.DELETING)
    assert hits_of(viewer, "fresh-0")["pod"][0][0] == "default/fresh-0 Prod"


def test_a_run_that_has_recorded_nothing_does_not_hide_the_one_before(viewer, run, execute, hits_of):
    newer = execute(cluster_of(1, 0))
    RunHead.objects.filter(run=newer).update(seq=0)
    assert hits_of(viewer, "never-0")["pod"][0][0].endswith(" Prod, run 1")


def test_what_is_here_comes_first_among_equals(viewer, run, execute, hits_of):
    execute([*cluster_of(1, 0), pod("small-2", "100m")], slug="other")
    for number in (1, 2):
        pods = hits_of(viewer, "small-2", f"/w/team/runs/{number}/?cycle=1")["pod"]
        assert [url.split("/")[4] for _, url in pods] == [str(number), str(3 - number)]


def test_a_workload_opens_how_its_pods_ended(viewer, execute, hits_of):
    labels = {"app": "web"}
    template = {"metadata": {"labels": labels}, "spec": {"containers": [{"name": "c", "image": "nginx"}]}}
    spec = {"replicas": 2, "selector": {"matchLabels": labels}, "template": template}
    named = {"name": "web", "namespace": "shop"}
    execute([*cluster_of(2, 0), {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": named, "spec": spec}])
    [(said, url)] = hits_of(viewer, "web")["workload"]
    assert said == "shop/web Deployment, its pods Prod, run 1"
    assert url == "/w/team/runs/1/outcomes/?by=owner&q=Deployment+web"
    assert viewer.get(url).status_code == 200


def test_other_objects_are_those_of_the_newest_revision(viewer, workspace, run, hits_of):
    [(_, url)] = hits_of(viewer, "high")["object"]
    assert url.startswith("/w/team/clusters/prod/object/")
    assert "object" not in hits_of(viewer, "high", "/w/team/runs/1/?cycle=1")


@pytest.mark.parametrize("at", ["/w/team/", "/w/team/clusters/other/"])
def test_a_cycle_by_its_number_is_that_of_the_newest_run(viewer, other, hits_of, at):
    for typed in ("cycle 1", "#1"):
        urls = [url for _, url in hits_of(viewer, typed, at)["cycle"]]
        assert urls == ["/w/team/runs/2/?cycle=1", "/w/team/runs/1/?cycle=1"]
    last = Run.objects.get(number=1).head.cycle
    assert [url for _, url in hits_of(viewer, f"cycle {last}", at)["cycle"]] == [f"/w/team/runs/1/?cycle={last}"]
    assert "cycle" not in hits_of(viewer, "cycle 4001", at)


def test_a_run_that_goes_on_is_searched_as_far_as_it_is(viewer, run):
    Run.objects.filter(pk=run.pk).update(state=State.RUNNING)
    answer = viewer.get(URL, {"q": "never-0", "at": "/w/team/"}).context["answer"]
    assert f"cycle {run.head.cycle}" in answer.note


def test_others_find_nothing_of_a_run(stranger, anonymous, run, hits_of):
    for typed in ("never-0", "why never-0", "why", "cycle 1", "taint-c"):
        # A preset speaks of cycles.
        assert set(hits_of(stranger, typed, "/w/team/runs/1/?cycle=1", slug="elsewhere")) <= {"configuration"}
        assert stranger.get(URL, {"q": typed}).status_code == 404
        assert anonymous.get(URL, {"q": typed}).status_code == 302


def test_archived_clusters_hide_their_runs_but_on_their_own_pages(viewer, run, workspace, hits_of):
    cluster(workspace, "Other", [pod("x")])
    assert "pod" in hits_of(viewer, "never-0")
    run.revision.cluster.archived_at = run.created_at
    run.revision.cluster.save()
    assert hits_of(viewer, "never-0") == {}
    assert "pod" in hits_of(viewer, "never-0", "/w/team/runs/1/?cycle=1")

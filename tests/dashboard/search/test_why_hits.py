"""What "why NAME" and "why" find, and where it leads."""

from __future__ import annotations

import pytest

from tests.dashboard.run_helpers import cluster_of, pod
from tests.dashboard.search.test_views import cluster

pytestmark = pytest.mark.django_db

WHY = "/w/team/runs/1/why/?pod=default/{}"
PAGES = ["/w/team/", "/w/team/runs/1/?cycle=1&tab=yaml", "/w/team/clusters/prod/", "/w/team/reviews/", "nowhere"]


@pytest.mark.parametrize("at", PAGES)
@pytest.mark.parametrize("role", ["viewer", "admin"])
def test_why_and_a_name_lead_to_the_page_that_says_why(people, run, hits_of, at, role):
    for typed in ("why never-0", "Why  NEVER-0", "why default/never-0"):
        [(said, url)] = hits_of(people[role], typed, at)["why"]
        assert "unschedulable" in said
        assert url == WHY.format("never-0")


def test_placed_and_gated_pods_have_a_why_too(viewer, run, hits_of):
    for name in ("small-2", "gated-0"):
        [(_, url)] = hits_of(viewer, f"why {name}")["why"]
        assert url == WHY.format(name)
        assert viewer.get(url).status_code == 200


def test_several_are_listed_with_run_and_cluster_pending_first(viewer, run, execute, hits_of):
    execute([*cluster_of(1, 0), pod("never-00", "64"), pod("never-1", "100m")], slug="other")
    pods = hits_of(viewer, "why never")["why"]
    assert [url.partition("=")[2] for _, url in pods] == ["default/never-0", "default/never-00", "default/never-1"]
    assert [said.rpartition(" ")[0].split(", ")[-1] for said, _ in pods] == ["run"] * 3
    assert [said.split(", run ")[-1] for said, _ in pods] == ["1", "2", "2"]


def test_a_pod_of_that_very_name_is_before_pending_ones(viewer, execute, hits_of):
    execute([*cluster_of(1, 0), pod("web-1", "100m"), pod("web-10", "64")])
    assert [url for _, url in hits_of(viewer, "why web-1")["why"]] == [WHY.format("web-1"), WHY.format("web-10")]


def test_a_cluster_without_a_run_has_only_its_pods(viewer, workspace, hits_of):
    cluster(workspace, "Prod", [pod("only-here")])
    hits = hits_of(viewer, "why only-here")
    assert set(hits) == {"pod"}
    assert hits["pod"][0][1].startswith("/w/team/clusters/prod/object/")


def test_why_alone_lists_what_is_pending_by_cause(viewer, run, hits_of):
    [(said, url)] = hits_of(viewer, "why")["why"]
    assert "1 pod pending" in said
    assert url.startswith("/w/team/runs/1/?cycle=")
    assert viewer.get(url).status_code == 200


def test_a_hit_of_a_pod_says_where_why_is(viewer, run):
    page = viewer.get("/w/team/search/names/", {"q": "never-0", "at": "/w/team/"}).content.decode()
    assert f'data-why="{WHY.format("never-0")}"' in page


def test_a_word_that_begins_with_why_is_a_name(viewer, execute, hits_of):
    execute([*cluster_of(1, 0), pod("whynot-0", "100m")])
    assert list(hits_of(viewer, "whynot")) == ["pod"]


def test_owners_that_lack_pods_come_first_and_lead_to_their_page(viewer, admission_run, hits_of):
    (said, url), *_ = hits_of(viewer, "why web")["why"]
    assert ("2 never made" in said, url.rpartition("?")[2]) == (True, "of=team/web")
    owners = [url for _, url in hits_of(viewer, "why")["why"] if "/why/owner/" in url]
    assert len(owners) == 4

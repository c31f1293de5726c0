"""The Live page, and Why as of now or of a kept moment."""

from __future__ import annotations

import pytest

from dashboard.clusters.models import Cluster, FollowedRevision, Following, KeptMoment
from dashboard.clusters.revisions import actions
from dashboard.clusters.revisions.contents import read_contents
from dashboard.runs.models import Run
from tests.dashboard.clusters.conftest import pod
from tests.dashboard.following.collectors import bound, work
from tests.dashboard.helpers import strict_html

LIVE = "/w/team/clusters/shop/live/"
PART = {"HX-Request": "true"}


def test_the_page_shows_what_is_pending_and_the_tab_comes_first(viewer, followed):
    page = strict_html(viewer.get(LIVE))
    assert page.index(f'href="{LIVE}"') < page.index('href="/w/team/clusters/shop/"')
    assert "following" in page
    assert page.count('data-row="') == 1
    assert "data-why" not in page


def test_a_cluster_that_nobody_follows_has_no_tab_and_no_page(owner, editor):
    actions.create_cluster(editor.member, actions.NewCluster("prod"), [pod("a")])
    assert "/live/" not in editor.get("/w/team/clusters/prod/").content.decode()
    assert editor.get("/w/team/clusters/prod/live/").status_code == 404


def test_before_the_first_listing_the_page_says_that_it_begins(editor, collector):
    collector.send()
    page = strict_html(editor.get(LIVE))
    assert "is-begins" in page
    assert editor.post(f"{LIVE}why", {"pod": "default/big"}).status_code == 400


def test_the_part_is_sent_where_something_is_new(editor, followed, clock, django_assert_max_num_queries):
    part = editor.get(LIVE, headers=PART).content.decode()
    seen = part.partition('data-seen="')[2].partition('"')[0]
    with django_assert_max_num_queries(10):
        assert editor.get(LIVE, {"seen": seen}, headers=PART).status_code == 204
    followed.send(*followed.changed("ADDED", pod("one")))
    assert editor.get(LIVE, {"seen": seen}, headers=PART).status_code == 200


@pytest.mark.parametrize(
    ("by", "state"), [({"seconds": 30}, "is-following"), ({"minutes": 4}, "is-silent"), ({"days": 2}, "is-silent")]
)
def test_a_collector_that_says_nothing_is_silent(editor, followed, clock, by, state):
    clock.on(**by)
    assert state in editor.get(LIVE).content.decode()


def test_a_collector_that_ended_or_has_no_token_is_stopped(editor, followed):
    followed.token.delete()
    assert "is-stopped" in editor.get(LIVE).content.decode()


@pytest.mark.long
def test_a_closed_collection_is_stopped(editor, followed):
    followed.send(is_last=True)
    assert "is-stopped" in editor.get(LIVE).content.decode()


def test_why_as_of_now_keeps_the_state_and_runs_its_pending_pods(editor, followed, clock):
    clock.on(minutes=3)
    followed.send(*followed.changed("ADDED", pod("another", cpu="90")))
    work()
    response = editor.post(f"{LIVE}why", {"pod": "default/another"})
    run = Run.objects.get()
    assert response["Location"] == f"/w/team/clusters/shop/why/{run.number}/?pod=default/another"
    asked = FollowedRevision.objects.get(kind=KeptMoment.ASKED)
    assert run.revision == asked.revision
    assert {row.name for row in read_contents(run.revision).rows.pods} == {"web-1", "big", "another"}
    editor.post(f"{LIVE}why", {"pod": "default/big"})
    assert Run.objects.count() == 1


def test_why_is_refused_for_a_pod_that_does_not_wait(editor, followed):
    assert editor.post(f"{LIVE}why", {"pod": "default/web-1"}).status_code == 404
    assert editor.post(f"{LIVE}why", {"pod": "default/none"}).status_code == 404
    assert not Run.objects.exists()


def test_why_as_of_a_kept_moment_is_that_of_its_revision(editor, followed, following, clock):
    revision = following.moments.get().revision
    clock.on(minutes=2)
    followed.send(*followed.changed("DELETED", pod("big")))
    work()
    response = editor.post("/w/team/clusters/shop/why/", {"pod": "default/big", "r": revision.number})
    assert response.status_code == 302
    assert Run.objects.get().revision == revision


@pytest.mark.long
def test_a_kept_hour_can_be_chosen_and_one_that_is_gone_says_so(editor, followed, following, clock):
    clock.on(hours=1)
    followed.send(*followed.changed("ADDED", bound("one", "node-a")))
    work()
    listed = following.moments.get(kind=KeptMoment.LISTED)
    page = strict_html(editor.get(LIVE, {"since": listed.pk}))
    assert "default/one added" in page
    assert editor.get(LIVE, {"since": 999_999}).status_code == 404
    assert editor.get(LIVE, {"since": "x"}).status_code == 400


def test_two_kept_hours_are_compared_with_each_other(editor, busy, followed_cluster):
    busy.clock.on(hours=1)
    busy.send(*busy.changed("ADDED", pod("web-9")))
    work()
    newest, *_, oldest = followed_cluster.moments.order_by("-moment")
    page = strict_html(editor.get(LIVE, {"since": oldest.pk, "until": newest.pk, "by": "owner"}))
    assert "web-3 added" in page
    assert "web-9 added" not in page
    assert "web-9 added" in strict_html(editor.get(LIVE, {"since": oldest.pk}))
    assert editor.get(LIVE, {"since": newest.pk, "until": oldest.pk}).status_code == 404


@pytest.mark.parametrize("by", ["owner", "since"])
def test_pending_pods_are_grouped(editor, followed, by):
    page = strict_html(editor.get(LIVE, {"by": by, "since": "hour"}))
    assert page.count('data-row="') == 1
    assert f"?by={by}&amp;since=hour" in page
    assert "data-why" in page


def test_another_version_is_marked_until_somebody_follows_it(editor, viewer, followed, clock):
    clock.on(minutes=1)
    followed.send(meta=followed.meta(versions=((clock.seconds, "v1.36.2"),)))
    assert "Follow v1.36.2 from there" in editor.get(LIVE).content.decode()
    assert "Follow v1.36.2 from there" not in viewer.get(LIVE).content.decode()
    editor.post(f"{LIVE}version", {"version": "v1.36.2"})
    assert Following.objects.get().followed_version == "v1.36.2"
    assert "Follow v1.36.2 from there" not in editor.get(LIVE).content.decode()


def test_names_of_the_cluster_are_texts_and_no_markup(editor, collector):
    meta = collector.meta(collector="<script>alert(1)</script>", namespaces=("<b>",))
    collector.send(*collector.listed(pod("a", cpu="100")), meta=meta, is_listed=True)
    work()
    page = strict_html(editor.get(LIVE))
    assert "<script>alert" not in page
    assert "&lt;script&gt;" in page


def test_the_history_names_the_collector(editor, followed):
    assert "collector shop collector" in editor.get("/w/team/clusters/shop/history/").content.decode()
    assert Cluster.objects.get(slug="shop").revisions.count() == 2

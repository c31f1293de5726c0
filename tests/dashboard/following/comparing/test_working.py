"""A followed cluster is compared with the engine: the record since a kept moment, by the hour, stopped."""

from __future__ import annotations

import pytest

from dashboard.agreement.models import CollectedBundle, FollowedComparison
from dashboard.agreement.reality import computing
from dashboard.clusters.models import Following
from dashboard.common.problems import Forbidden, Problem
from dashboard.documents.models import SchedulerConfig
from dashboard.following.comparing import actions, working
from dashboard.following.live_page.comparison import shown_comparison
from dashboard.following.moments.record import record_of
from scheduler_core.manifests import ManifestSource
from scheduler_core.manifests.bundle.folding import name_of
from scheduler_core.manifests.bundle.reading import open_bundle
from tests.dashboard.clusters.conftest import pod
from tests.dashboard.following.collectors import bound, work

MESSAGE = "0/2 nodes are available: 2 Insufficient cpu."


def event(name, message, reason="FailedScheduling"):
    return {
        "apiVersion": "v1",
        "kind": "Event",
        "metadata": {"name": f"{name}.{reason}", "namespace": "default"},
        "involvedObject": {"kind": "Pod", "namespace": "default", "name": name},
        "reason": reason,
        "message": message,
        "source": {"component": "default-scheduler"},
    }


def later(collector, *lines):
    """Send a piece a minute later and have it folded."""
    collector.clock.on(minutes=1)
    collector.send(*lines)
    work()


def compare_all():
    while working.work():
        pass
    while computing.work():
        pass


@pytest.fixture
def busy(followed):
    """A pod came and was bound by the real scheduler, another one was refused; one more after the hour."""
    later(followed, *followed.changed("ADDED", pod("web-2")))
    later(followed, *followed.changed("MODIFIED", bound("web-2", "node-b")))
    followed.clock.on(hours=1)
    later(followed, *followed.changed("ADDED", pod("web-3")))
    later(followed, *followed.changed("MODIFIED", bound("web-3", "node-a")))
    return followed


@pytest.fixture
def followed_cluster(busy):
    return Following.objects.select_related("cluster__workspace").get(cluster__slug=busy.slug)


def test_the_record_is_the_state_of_a_kept_moment_and_what_was_folded_after_it(followed_cluster):
    record = record_of(followed_cluster)
    bundle = open_bundle(ManifestSource("x", record.data))
    assert record.began.kind == "listed"
    assert sorted(name_of(one.object).name for one in bundle.objects()) == ["big", "node-a", "node-b", "web-1"]
    assert [(one.type, name_of(one.object).name) for one in bundle.changes] == [
        ("ADDED", "web-2"), ("MODIFIED", "web-2"), ("ADDED", "web-3"), ("MODIFIED", "web-3"),
    ]  # fmt: skip
    assert (bundle.meta.server_version, bundle.meta.began) == ("v1.34.1", record.began.moment)


def test_a_record_that_begins_with_an_hour_has_the_rest_alone(followed_cluster, monkeypatch):
    monkeypatch.setattr("dashboard.following.moments.record.LONGEST_SECONDS", 1800.0)
    record = record_of(followed_cluster)
    bundle = open_bundle(ManifestSource("x", record.data))
    assert record.began.kind == "hour"
    at_beginning = {name_of(one.object).name: one.object for one in bundle.objects()}
    assert b'"nodeName":"node-b"' in bytes(at_beginning["web-2"]).replace(b" ", b"")
    assert {name_of(one.object).name for one in bundle.changes} == {"web-3"}


def test_each_decision_is_held_against_the_state_before_it_and_again_after_an_hour(owner, followed_cluster, clock):
    assert shown_comparison(followed_cluster).figures is None
    actions.compare(owner.member, followed_cluster)
    compare_all()
    shown = shown_comparison(followed_cluster)
    assert (shown.n_bindings, shown.is_on, shown.is_computing, shown.problem) == (2, True, False, "")
    first = CollectedBundle.objects.get(is_followed=True)
    clock.on(minutes=59)
    assert not working.work()
    clock.on(minutes=2)
    compare_all()
    newest = CollectedBundle.objects.filter(is_followed=True).first()
    assert newest.pk != first.pk
    clock.on(hours=2)
    compare_all()
    assert CollectedBundle.objects.filter(is_followed=True).count() == working.KEPT
    assert shown_comparison(followed_cluster).figures is not None


def test_who_stops_it_has_nothing_compared_any_more(owner, followed_cluster, clock):
    actions.compare(owner.member, followed_cluster)
    compare_all()
    actions.stop(owner.member, followed_cluster)
    clock.on(hours=3)
    assert not working.work()
    assert not shown_comparison(followed_cluster).is_on


def test_the_collector_s_configuration_becomes_one_document(owner, busy, followed_cluster):
    text = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\nparallelism: 4\n"
    later_meta = busy.meta(configuration=text)
    busy.clock.on(minutes=1)
    busy.send(meta=later_meta)
    work()
    followed_cluster.refresh_from_db()
    for _ in range(2):
        actions.compare(owner.member, followed_cluster)
    config = FollowedComparison.objects.get(cluster=followed_cluster.cluster).config
    assert config.config.revisions.count() == 1
    assert SchedulerConfig.objects.filter(workspace=owner.member.workspace).count() == 1
    compare_all()
    assert CollectedBundle.objects.get(is_followed=True).config == config


def test_before_the_first_listing_there_is_nothing_to_compare_and_viewers_may_not(owner, viewer, collector, clock):
    collector.send(*collector.listed(pod("a")))
    following = Following.objects.select_related("cluster__workspace").get(cluster__slug=collector.slug)
    with pytest.raises(Problem):
        actions.compare(owner.member, following)
    with pytest.raises(Forbidden):
        actions.compare(viewer.member, following)


def test_what_fails_is_said_and_tried_again_an_hour_later(owner, followed_cluster, clock, monkeypatch):
    actions.compare(owner.member, followed_cluster)
    with monkeypatch.context() as patched:
        patched.setattr(working, "record_of", lambda following: 1 / 0)
        assert working.work()
    assert "ZeroDivisionError" in shown_comparison(followed_cluster).problem
    assert not working.work()
    clock.on(minutes=61)
    compare_all()
    assert shown_comparison(followed_cluster).problem == ""


def test_one_that_a_dead_worker_had_is_taken_over_after_its_lease(owner, followed_cluster, clock):
    actions.compare(owner.member, followed_cluster)
    FollowedComparison.objects.update(due_at=clock() + working.LEASE)
    assert not working.work()
    clock.on(minutes=11)
    assert working.work()

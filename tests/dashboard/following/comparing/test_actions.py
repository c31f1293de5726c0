"""People have a followed cluster compared, and stop it."""

from __future__ import annotations

import pytest

from dashboard.agreement.models import CollectedBundle, FollowedComparison
from dashboard.clusters.models import Following
from dashboard.common.problems import Forbidden, Problem
from dashboard.documents.models import SchedulerConfig
from dashboard.following.comparing import actions, working
from dashboard.following.live_page.comparison import shown_comparison
from tests.dashboard.clusters.conftest import pod
from tests.dashboard.following.collectors import compare_all, work


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

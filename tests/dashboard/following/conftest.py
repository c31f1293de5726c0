"""A followed cluster: a collector with its token, a clock of the test, and no broker."""

from __future__ import annotations

import pytest

from dashboard.clusters.models import Following
from dashboard.clusters.revisions.contents import cache
from dashboard.following.workers import overview
from dashboard.runs.lifecycle import waiting
from tests.dashboard.clusters.conftest import pod
from tests.dashboard.following.collectors import Collector, VirtualClock, bound, later, small


@pytest.fixture(autouse=True)
def in_no_hurry(monkeypatch):
    """Have causes computed however busy the machine is."""
    monkeypatch.setattr(overview, "SECONDS_FOR_CAUSES", 600.0)


@pytest.fixture(autouse=True)
def cold():
    """Forget contents that another test's database gave."""
    cache.clear()


@pytest.fixture(autouse=True)
def woken(monkeypatch):
    """The names of the tasks that were sent."""
    sent = []
    monkeypatch.setattr(waiting, "wake_worker", lambda task, queue="background": sent.append(task))
    return sent


@pytest.fixture
def clock(monkeypatch):
    """The wall time, at noon of a day."""
    clock = VirtualClock()
    monkeypatch.setattr("django.utils.timezone.now", clock)
    return clock


@pytest.fixture
def collector(owner, clock):
    """A collector of the cluster "shop", which nothing was sent of yet."""
    return Collector(owner, clock)


@pytest.fixture
def followed(collector):
    """The same after its first listing of `small()`."""
    collector.list_all(*small())
    return collector


@pytest.fixture
def following(followed):
    """How the cluster is followed, as the database has it."""
    return Following.objects.select_related("cluster__workspace").get(cluster__slug=followed.slug)


@pytest.fixture
def busy(followed):
    """The same after pods came and were bound by the real scheduler, in an hour and in the next one."""
    later(followed, *followed.changed("ADDED", pod("web-2")))
    later(followed, *followed.changed("MODIFIED", bound("web-2", "node-b")))
    followed.clock.on(hours=1)
    later(followed, *followed.changed("ADDED", pod("web-3")))
    later(followed, *followed.changed("MODIFIED", bound("web-3", "node-a")))
    return followed


@pytest.fixture
def followed_cluster(busy):
    """How that cluster is followed, as the database has it."""
    return Following.objects.select_related("cluster__workspace").get(cluster__slug=busy.slug)

"""The strip of the last 24 hours."""

from __future__ import annotations

import pytest

from dashboard.clusters.models import Cluster, FollowedRevision, Following, KeptMoment, Revision
from dashboard.following.live_page import strip
from dashboard.following.live_page.strip import change_strip

HOUR = 3600.0
NOW = 1_800_000_000.0 // HOUR * HOUR + 600


@pytest.fixture
def no_gaps(monkeypatch):
    monkeypatch.setattr(strip, "gaps", lambda following: [])


def hour(moment, changes, pk=1):
    revision = Revision(number=pk, cluster=Cluster())
    return FollowedRevision(pk=pk, revision=revision, kind=KeptMoment.HOUR, moment=moment, changes=changes)


def test_each_hour_has_what_its_revision_changed(no_gaps):
    last = NOW // HOUR * HOUR
    rows = [hour(last, {"Pod": [3, 1, 2], "Node": [1, 0, 0]}, 9), hour(last - HOUR, {"Pod": [0, 0, 1]}, 8)]
    made = change_strip(Following(), rows, NOW, (1, 0, 0), (last, None))
    assert len(made.hours) == 24
    assert [one.counts for one in made.hours[-3:]] == [(0, 0, 1), (4, 1, 2), (1, 0, 0)]
    assert [one.revision for one in made.hours[-3:]] == [8, 9, None]
    assert made.total == 9
    tallest = made.hours[-2].parts
    assert sum(part.height for part in tallest) == pytest.approx(50.0, abs=0.2)
    assert [part.cls for part in tallest] == ["bar-chg", "bar-del", "bar-add"]
    assert made.chosen == pytest.approx(23 * 1000 / 24)


def test_a_day_without_changes_has_no_bars(no_gaps):
    made = change_strip(Following(), [], NOW, (0, 0, 0), (None, None))
    assert made.total == 0
    assert not any(one.parts for one in made.hours)
    assert made.chosen is None


def test_a_change_of_version_stands_at_its_moment(no_gaps):
    meta = {"began": NOW - 9e5, "server_version": "v1.34.1", "versions": [[NOW - 600, "v1.36.2"]]}
    made = change_strip(Following(meta=meta), [], NOW, (0, 0, 0), (None, None))
    assert made.versions == [(pytest.approx(23 * 1000 / 24), "v1.36.2")]

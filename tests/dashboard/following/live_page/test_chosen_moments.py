"""Which kept moments are compared: neighbours of the beginning and of the end, and what is refused."""

from __future__ import annotations

import pytest

from dashboard.clusters.models import FollowedRevision, KeptMoment
from dashboard.common.problems import NotFound
from dashboard.following.live_page.chosen_moments import ChosenMoments

HOUR = 3600.0
NOW = 100 * HOUR
KEPT = [FollowedRevision(pk=n, kind=KeptMoment.HOUR, moment=n * HOUR) for n in (99, 98, 97, 96)]


def chosen(**query):
    return ChosenMoments(KEPT, {name: str(value) for name, value in query.items()}, NOW)


def test_an_hour_and_a_day_ago_are_the_nearest_that_are_kept():
    assert chosen(since="hour").base.pk == 99
    assert (chosen().base.pk, chosen().since) == (96, "day")
    assert ChosenMoments([], {}, NOW).base is None


def test_the_beginning_moves_with_the_end_where_it_is():
    one = chosen(since=97, until=98)
    assert (one.base.pk, one.end.pk, one.since) == (97, 98, "")
    assert (one.hour_before, one.hour_after) == ("since=96&until=98", "")
    assert (one.end_before, one.end_after) == ("", "since=97&until=99")
    assert chosen(since=97, until=99).end_after == "since=97"
    now = chosen(since=97)
    assert (now.hour_after, now.end_before, now.end_after) == ("since=98", "since=97&until=99", "")
    assert chosen(since=99).end_before == ""


@pytest.mark.parametrize("query", [{"since": 5}, {"since": 97, "until": 5}, {"since": 98, "until": 97}])
def test_moments_that_are_gone_or_turned_round_are_not_compared(query):
    one = chosen(**query)
    with pytest.raises(NotFound):
        print(one.base, one.end)

"""What the Live page says of agreement."""

from __future__ import annotations

from dashboard.following.comparing import actions, working
from dashboard.following.live_page.comparison import shown_comparison
from tests.dashboard.following.collectors import compare_all
from tests.dashboard.helpers import strict_html


def test_the_one_before_is_shown_until_the_next_one_is_compared(owner, client, followed_cluster, clock):
    page = f"/w/team/clusters/{followed_cluster.cluster.slug}/live/"
    assert "not compared yet" in owner.get(page).content.decode()
    actions.compare(owner.member, followed_cluster)
    compare_all()
    first = shown_comparison(followed_cluster)
    assert (first.n_bindings, first.n_equal, first.n_messages, first.is_computing) == (2, 2, 0, False)
    assert first.as_of is not None
    assert first.url in owner.get(page).content.decode()
    assert sum(one.bindings for one in first.figures.hours) == len(first.chart.bars) == 2
    assert "bindings and 0 of 0 messages equal" in strict_html(owner.get(page))
    clock.on(hours=2)
    while working.work():
        pass
    again = shown_comparison(followed_cluster)
    assert (again.n_bindings, again.is_computing, again.as_of) == (2, True, first.as_of)
    assert again.seen != first.seen

"""What sockets of a workspace are handed, and what of it is merged."""

from __future__ import annotations

from dashboard.live.feed.hub import News, _theirs


def test_news_that_were_not_sent_are_merged_with_those_after_them():
    first, second = News(3, frozenset({"run:1"}), {"inbox": 1}), News(5, frozenset({"run:2"}), {"inbox": 2})
    assert second.after(None) is second
    assert second.after(first) == News(5, frozenset({"run:1", "run:2"}), {"inbox": 2})
    assert second.after(News(4, None, {})).topics is None
    assert News(6, None, {}).after(first).topics is None


def test_what_only_one_member_sees_change_is_told_to_nobody_else():
    changed = frozenset({"reviews", "member:1", "member:2"})
    assert _theirs(changed, 1) == {"reviews", "member:1"}
    assert _theirs(frozenset({"member:2"}), 1) == frozenset()
    assert _theirs(None, 1) is None

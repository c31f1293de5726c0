"""The numbers that sockets tell."""

from __future__ import annotations

from dashboard.common.registering import Registered
from dashboard.live.feed import counts


def test_each_registered_number_is_counted_for_all_members_at_once(monkeypatch, viewer, reviewer):
    asked = []

    def letters(members):
        asked.append(members)
        return {one.pk: len(one.role) for one in members}

    monkeypatch.setattr(counts, "_counters", Registered())
    counts.register_count("letters", letters)
    members = [viewer.member, reviewer.member]
    assert counts.counts_of(members) == {members[0].pk: {"letters": 6}, members[1].pk: {"letters": 8}}
    assert asked == [members]


def test_the_inbox_is_counted(viewer):
    member = viewer.member
    assert counts.counts_of([member]) == {member.pk: {"inbox": 0}}

"""The numbers that sockets tell."""

from __future__ import annotations

from dashboard.live.feed import counts


def test_each_registered_number_is_counted_for_the_member(monkeypatch):
    monkeypatch.setattr(counts, "_counters", {})
    counts.register_count("letters", len)
    assert counts.counts_of("abc") == {"letters": 3}


def test_the_inbox_is_counted(viewer):
    assert counts.counts_of(viewer.member) == {"inbox": 0}

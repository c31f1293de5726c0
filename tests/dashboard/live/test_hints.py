"""Hints that a feed moved: to this process and to the others."""

from __future__ import annotations

from dashboard.live import hints


def test_threads_of_this_process_are_woken_and_the_others_are_sent_a_hint(monkeypatch):
    woken, sent = [], []
    monkeypatch.setattr(hints, "_listeners", [])
    monkeypatch.setattr(hints, "send", lambda group, hint: sent.append((group, hint)))
    hints.on_feed_moved(lambda: woken.append(True))
    hints.feed_moved(7)
    assert woken == [True]
    assert sent == [(hints.FEED_GROUP, {"type": "feed.moved", "workspace": 7})]

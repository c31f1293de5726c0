"""Replies that are given again: for how long, and how many bytes of them."""

from __future__ import annotations

import msgspec
import pytest

from dashboard.answers.messages import Reply, Request
from dashboard.answers.transport import recent_replies as module
from dashboard.answers.transport.recent_replies import RecentReplies


def request(key, is_final=True):
    """Return a question."""
    return Request(key, 1, 1, msgspec.Raw(b"{}"), is_final)


@pytest.mark.parametrize(
    ("is_final", "how", "is_there"),
    [
        (True, {}, True),
        (False, {}, False),
        (True, {"is_partial": True}, False),
        (True, {"error": "no"}, False),
    ],
    ids=["whole", "of a run that grows", "partial", "error"],
)
def test_only_whole_answers_about_recordings_that_ended_are_given_for_long(monkeypatch, is_final, how, is_there):
    monkeypatch.setattr(module, "PASSING_SECONDS", 0.0)
    replies = RecentReplies()
    replies.put(request("q", is_final), Reply(msgspec.Raw(b"1"), **how))
    assert (replies.get("q") is not None) is is_there


def test_answers_that_pass_are_there_for_those_who_wait():
    replies = RecentReplies()
    replies.put(request("q"), Reply(error="no"))
    assert replies.get("q").error == "no"


def test_replies_use_so_many_bytes_and_those_used_longest_ago_go_first(monkeypatch):
    monkeypatch.setattr(module, "KEPT_BYTES", 25)
    replies, reply = RecentReplies(), Reply(msgspec.Raw(b'"12345678"'))
    for key in ("a", "b"):
        replies.put(request(key), reply)
    assert replies.get("a")
    replies.put(request("c"), reply)
    assert [bool(replies.get(key)) for key in ("a", "b", "c")] == [True, False, True]
    replies.put(request("a"), reply)
    assert replies.size == 20


def test_a_reply_that_takes_all_the_room_is_kept_alone(monkeypatch):
    monkeypatch.setattr(module, "KEPT_BYTES", 25)
    replies = RecentReplies()
    replies.put(request("small"), Reply(msgspec.Raw(b'"12345678"')))
    replies.put(request("large"), Reply(msgspec.Raw(b'"1234567890123456789012345678"')))
    assert [bool(replies.get(key)) for key in ("small", "large")] == [False, True]
    assert replies.size == 30

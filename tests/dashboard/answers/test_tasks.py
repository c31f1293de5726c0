"""One question, one reply: what the figures count, and how long a computation has."""

from __future__ import annotations

import time

import msgspec
import pytest

from dashboard.answers import tasks
from dashboard.answers.messages import Reply, Request

REQUEST = Request("key", 1, 1, msgspec.Raw(b'{"question": "room", "cycle": 7}'), True)


@pytest.fixture
def counted(monkeypatch):
    """What the figures were told."""
    notices = []
    monkeypatch.setattr(tasks.figures, "add", lambda *what: notices.append(what))
    return notices


@pytest.mark.parametrize(
    ("reply", "result"),
    [
        (Reply(msgspec.Raw(b"1"), seconds=0.5), "answer"),
        (Reply(msgspec.Raw(b"1"), seconds=0.5, is_partial=True), "partial"),
        (Reply(error="no cycle 7", seconds=0.5), "error"),
    ],
)
def test_each_reply_is_counted_by_its_question_and_result(counted, monkeypatch, reply, result):
    monkeypatch.setattr(tasks, "reply_to", lambda request, limit: reply)
    assert tasks.answer(REQUEST, 5.0, lambda: False) is reply
    assert counted == [("room", result, 0.5)]


@pytest.mark.parametrize(("seconds", "left"), [(5.0, 5.0 - tasks.RETURN_SECONDS), (0.1, 0.0)])
def test_a_computation_returns_a_little_before_the_deadline(counted, monkeypatch, seconds, left):
    limits = []
    monkeypatch.setattr(tasks, "reply_to", lambda request, limit: limits.append(limit) or Reply())
    begun = time.monotonic()
    tasks.answer(REQUEST, seconds, lambda: False)
    assert begun + left <= limits[0].until <= time.monotonic() + left

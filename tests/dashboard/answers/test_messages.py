"""Messages between pages and answer workers."""

from __future__ import annotations

import time

import msgspec

from dashboard.answers.asking import ask
from dashboard.answers.messages import Ask, AskResult, Reply
from dashboard.answers.questions import RoomTaken


def test_messages_come_back_as_they_were_sent(worker, plain_run):
    ask(plain_run, RoomTaken(3), time.time() + 5, asker="page")
    encoded = msgspec.json.encode(worker[0])
    assert msgspec.json.encode(msgspec.json.decode(encoded, type=Ask)) == encoded
    result = AskResult(Reply(msgspec.Raw(b'{"nodes":["a"]}'), seconds=0.5))
    assert bytes(msgspec.json.decode(msgspec.json.encode(result), type=AskResult).reply.answer) == b'{"nodes":["a"]}'
